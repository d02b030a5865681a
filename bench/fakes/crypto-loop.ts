// A thread that runs one operation of node:crypto in a loop and reports the number of operations per second.
import { createCipheriv, createSecretKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';

const { kind, ms } = workerData as { readonly kind: 'rsa' | 'ec' | 'aes'; readonly ms: number };
const data = randomBytes(64);
const pair = kind === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ec', { namedCurve: 'P-256' });
const key = createSecretKey(randomBytes(32));

const work = () => {
  if (kind !== 'aes') return sign('sha256', data, pair.privateKey);
  const cipher = createCipheriv('aes-256-gcm', key, randomBytes(12));
  return Buffer.concat([cipher.update(data), cipher.final(), cipher.getAuthTag()]);
};
const until = performance.now() + ms;
let count = 0;
for (; performance.now() < until; count++) work();
parentPort?.postMessage(count / (ms / 1000));
