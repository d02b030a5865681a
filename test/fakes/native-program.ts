// native-program.ts SUBJECT terminate|uncaught [LIBRARY]: ends a thread while a call of the native package runs in it; exits with 0 if it lives.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const [subject, death, library] = isMainThread ? process.argv.slice(2) : (workerData as string[]);

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url), { workerData: [subject, death, library] });
  worker.on('error', () => {});
  const ended = new Promise((resolve) => worker.on('exit', resolve));
  await new Promise((resolve) => worker.once('message', resolve));
  // The call has begun, or is about to; it takes much longer than this.
  await new Promise((resolve) => setTimeout(resolve, 30));
  if (death === 'terminate') await worker.terminate();
  await ended;
  // What a dead thread has left running would strike now.
  await new Promise((resolve) => setTimeout(resolve, 150));
  process.exit(0);
}

// An uncaught error that arrives while synchronous calls follow each other.
if (death === 'uncaught') {
  setTimeout(() => {
    throw new Error('boom');
  }, 40);
}
const call = await prepare();
parentPort?.postMessage('ready');
const again = () => {
  call();
  setImmediate(again);
};
again();

async function prepare(): Promise<() => unknown> {
  if (subject === 'node:sqlite') {
    const { DatabaseSync } = await import('node:sqlite');
    const db = new DatabaseSync(':memory:');
    return () => db.prepare('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT SUM(i) FROM n').get();
  }
  if (subject === '@node-rs/argon2') {
    const { hashSync } = await import('@node-rs/argon2');
    return () => hashSync(new Uint8Array(16), { algorithm: 2, memoryCost: 65_536, timeCost: 3, parallelism: 4 });
  }
  const { default: pkcs11js } = await import('pkcs11js');
  const module = new pkcs11js.PKCS11();
  module.load(library as string);
  module.C_Initialize({ flags: 2 });
  const session = module.C_OpenSession(module.C_GetSlotList(true)[0] as Buffer, 6);
  module.C_Login(session, 1, '12345678');
  const bits = Buffer.alloc(8);
  bits.writeUInt32LE(3072);
  return () =>
    module.C_GenerateKeyPair(
      session,
      { mechanism: pkcs11js.CKM_RSA_PKCS_KEY_PAIR_GEN },
      [
        { type: pkcs11js.CKA_MODULUS_BITS, value: 3072 },
        { type: pkcs11js.CKA_PUBLIC_EXPONENT, value: Buffer.from([1, 0, 1]) },
      ],
      [{ type: pkcs11js.CKA_SIGN, value: true }],
    );
}
