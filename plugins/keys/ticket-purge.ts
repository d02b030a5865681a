// Deletes the tickets of Login that have ended, once an hour: Login itself deletes those of its caller only, who may never come again.
import { describe } from '../../kernel/fault.ts';
import { repeat } from '../../kernel/repeat.ts';
import type { KeysContext } from './actors.ts';
import { isSealed } from './rotation.ts';

const HOUR_MS = 3_600_000;

export function purgeTicketsRegularly({ actors, clock, log, signal }: KeysContext): void {
  const failed = (error: unknown) => {
    if (!signal.aborted && !isSealed(error)) log.warn({ error: describe(error) }, 'cannot delete the tickets that have ended; the server will try again');
  };
  const rest = repeat(clock, HOUR_MS, () => actors.kmip.purgeTickets(), failed);
  signal.addEventListener('abort', rest, { once: true });
}
