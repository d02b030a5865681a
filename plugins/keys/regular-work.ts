// Work of the key server at an interval: a failure is a warning in the log, unless the key server is sealed or the server stops.
import { describe } from '../../kernel/fault.ts';
import { repeat } from '../../kernel/repeat.ts';
import type { KeysContext } from './actors.ts';
import { isSealed } from './rotation.ts';

/** @param what cannot be done if it fails, for the log */
export function workRegularly({ clock, log, signal }: KeysContext, everyMs: number, work: () => Promise<unknown>, what: string): void {
  const failed = (error: unknown) => {
    if (!signal.aborted && !isSealed(error)) log.warn({ error: describe(error) }, `cannot ${what}; the server will try again`);
  };
  signal.addEventListener('abort', repeat(clock, everyMs, work, failed), { once: true });
}
