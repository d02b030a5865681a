// Work that is done again and again: a turn that fails is told, and the next one comes all the same.
import type { Clock } from './clock.ts';

/** Starts the first turn after `everyMs`. @returns what ends the turns; one that is under way goes on */
export function repeat(clock: Clock, everyMs: number, work: () => Promise<unknown>, onFailure: (error: unknown) => void): () => void {
  let timer = clock.setTimeout(again, everyMs);
  function again() {
    work().catch(onFailure);
    timer = clock.setTimeout(again, everyMs);
  }
  return () => clock.clearTimeout(timer);
}
