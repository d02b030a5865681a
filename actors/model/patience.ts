// How long a request waits for its work to begin: for its turn at a model, and for the model to be loaded.
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';

const LATE = 'the work could not begin within the time limit: others wait for the model, or it is being loaded; try again later';

/** Waits for the work to begin, and does it. `begun` is to be called when it begins, and returns what it gets. */
export type Wait<T> = (signal: AbortSignal, begun: <B>(value: B) => B) => Promise<T>;

/**
 * @param waitMs undefined for as long as it takes
 * @param wait gets a signal that ends the waiting, also when `signal` does
 * @throws Fault MODEL_BUSY if the work has not begun by then
 */
export async function patiently<T>(clock: Clock, waitMs: number | undefined, signal: AbortSignal, wait: Wait<T>): Promise<T> {
  if (waitMs === undefined) return wait(signal, (value) => value);
  const late = new AbortController();
  const timer = clock.setTimeout(() => late.abort(), waitMs);
  try {
    return await wait(AbortSignal.any([signal, late.signal]), (value) => {
      clock.clearTimeout(timer);
      return value;
    });
  } catch (error) {
    throw late.signal.aborted && !signal.aborted ? new Fault('MODEL_BUSY', { detail: LATE, cause: error }) : error;
  } finally {
    clock.clearTimeout(timer);
  }
}
