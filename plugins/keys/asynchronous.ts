// Looks after asynchronous requests at short intervals: what a stop or a node that is gone has left, and results whose time is over.
import { describe } from '../../kernel/fault.ts';
import { repeat } from '../../kernel/repeat.ts';
import type { KeysContext } from './actors.ts';
import { isSealed } from './rotation.ts';

const EVERY_MS = 5_000;

export function tendAsynchronousRegularly({ actors, clock, log, signal }: KeysContext): void {
  const failed = (error: unknown) => {
    if (!signal.aborted && !isSealed(error)) log.warn({ error: describe(error) }, 'cannot look after asynchronous requests; the server will try again');
  };
  const rest = repeat(clock, EVERY_MS, () => actors.kmip.tendAsynchronous(), failed);
  signal.addEventListener('abort', rest, { once: true });
}
