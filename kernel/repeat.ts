// Repeats work at an interval. A failed run is reported, and the next run follows as usual. Whoever moves the time waits for the run.
import type { Clock } from './clock.ts';

/** Starts the first run after `everyMs`. @returns a function that ends the repetition; a current run continues */
export function repeat(clock: Clock, everyMs: number, work: () => Promise<unknown>, onFailure: (error: unknown) => void): () => void {
  let timer = clock.setTimeout(again, everyMs);
  function again(): Promise<void> {
    timer = clock.setTimeout(again, everyMs);
    return work().then(() => {}, onFailure);
  }
  return () => clock.clearTimeout(timer);
}
