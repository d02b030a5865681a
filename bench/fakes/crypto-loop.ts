// A thread that runs one operation of a library in a loop and reports the number of operations per second.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { hashSync } from '@node-rs/argon2';

export type BareKind = 'RSA-2048 signature' | 'RSA-2048 pair' | 'Argon2id hash';

/** The server's cost parameters: actors/password. */
const COST = { algorithm: 2, memoryCost: 65_536, timeCost: 3, parallelism: 4, outputLen: 32 } as const;

const { kind, ms } = workerData as { readonly kind: BareKind; readonly ms: number };
const data = randomBytes(64);
const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const { privateKey } = pair();
const work: Readonly<Record<BareKind, () => unknown>> = {
  'RSA-2048 signature': () => sign('sha256', data, privateKey),
  'RSA-2048 pair': pair,
  'Argon2id hash': () => hashSync(data, COST),
};

const startedAt = performance.now();
let count = 0;
for (; performance.now() < startedAt + ms; count++) work[kind]();
parentPort?.postMessage(count / ((performance.now() - startedAt) / 1_000));
