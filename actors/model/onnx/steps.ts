// Splits long work on texts into steps: between them the process serves other calls, and stops if the caller has left.
import { performance } from 'node:perf_hooks';
import { Fault } from '../../../kernel/fault.ts';

/** Yields after each step, and returns the result. A step is as long as what a model takes of a text. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Milliseconds without a pause, and the time of one step. */
const SLICE_MS = 10;

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** @throws Fault CANCELLED */
export async function inSlices<T>(steps: Steps<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let pausedAt = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - pausedAt < SLICE_MS) continue;
    await new Promise(setImmediate);
    if (signal?.aborted) throw new Fault('CANCELLED');
    pausedAt = performance.now();
  }
}

/** One after the other. @throws Fault CANCELLED */
export async function eachInSlices<T>(all: readonly Steps<T>[], signal: AbortSignal | undefined): Promise<T[]> {
  const results: T[] = [];
  for (const steps of all) results.push(await inSlices(steps, signal));
  return results;
}
