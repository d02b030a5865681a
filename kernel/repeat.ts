// Repeats work at an interval. A failed run is reported, and the next run follows as usual.
import type { Clock } from './clock.ts';

/** Starts the first run after `everyMs`. @returns a function that ends the repetition; a current run continues */
export function repeat(clock: Clock, everyMs: number, work: () => Promise<unknown>, onFailure: (error: unknown) => void): () => void {
  let timer = clock.setTimeout(again, everyMs);
  function again() {
    work().catch(onFailure);
    timer = clock.setTimeout(again, everyMs);
  }
  return () => clock.clearTimeout(timer);
}
