// Writes what becomes of a batch also if the database is away for a while: whoever runs it knows more than those who find it later without its runner.
import { Fault } from '../../../kernel/fault.ts';
import type { KeyServer } from '../server.ts';

const AGAIN_MS = 500;
/** Of the database: away, busy, or lost while it committed. */
const PASSING: ReadonlySet<string> = new Set(['UNAVAILABLE', 'OVERLOADED', 'ACTOR_LOST']);

/** @param isAgain whether it was tried before, and may have been done */
export type Persistent = <T>(work: (isAgain: boolean) => Promise<T>) => Promise<T>;

/**
 * @param mostMs how long, of monotonic time @param isStopping whether the server stops, which waits for nothing
 * @returns what tries work again after a failure that passes
 */
export function persistent({ monotonic, asynchronous: { clock } }: KeyServer, mostMs: number, isStopping: () => boolean): Persistent {
  return async (work) => {
    const end = monotonic() + mostMs;
    for (let isAgain = false; ; isAgain = true) {
      try {
        return await work(isAgain);
      } catch (error) {
        if (!(error instanceof Fault && PASSING.has(error.code)) || isStopping() || monotonic() >= end) throw error;
        await new Promise<void>((resolve) => clock.setTimeout(resolve, AGAIN_MS));
      }
    }
  };
}
