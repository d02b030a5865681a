// A thread that runs one operation of node:crypto in a loop and reports the number of operations per second.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';

export type BareKind = 'RSA-2048 signature' | 'RSA-2048 pair';

const { kind, ms } = workerData as { readonly kind: BareKind; readonly ms: number };
const data = randomBytes(64);
const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const { privateKey } = pair();
const work: Readonly<Record<BareKind, () => unknown>> = { 'RSA-2048 signature': () => sign('sha256', data, privateKey), 'RSA-2048 pair': pair };

const startedAt = performance.now();
let count = 0;
for (; performance.now() < startedAt + ms; count++) work[kind]();
parentPort?.postMessage(count / ((performance.now() - startedAt) / 1_000));
