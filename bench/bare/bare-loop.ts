// What the library alone can do: one operation in a loop, in one thread for each core.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { BareKind } from '../fakes/crypto-loop.ts';

/** @returns operations per second of all threads together */
export async function bareRate(kind: BareKind, seconds: number, threads: number = availableParallelism()): Promise<number> {
  const module = new URL('../fakes/crypto-loop.ts', import.meta.url);
  const workers = Array.from({ length: threads }, () => new Worker(module, { workerData: { kind, ms: seconds * 1_000 } }));
  const rates = await Promise.all(workers.map((worker) => new Promise<number>((resolve, reject) => worker.on('message', resolve).on('error', reject))));
  return rates.reduce((sum, each) => sum + each, 0);
}
