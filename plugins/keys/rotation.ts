// Rotates the keys that are due, at regular intervals, one pass at a time.
import { describe, Fault } from '../../kernel/fault.ts';
import type { KeysContext } from './actors.ts';

/** The log has one line for it already. */
export const isSealed = (error: unknown): boolean => error instanceof Fault && error.code === 'KEY_SERVER_SEALED';

/** Never, if the interval is 0. */
export function rotateRegularly({ config, actors, clock, log, signal }: KeysContext): void {
  const everyMs = config.rotation_check_seconds * 1_000;
  if (everyMs === 0) return;
  const look = async () => {
    try {
      const rotated = await actors.kmip.rotateDue();
      if (rotated > 0) log.info({ keys: rotated }, 'keys rotated');
    } catch (error) {
      if (!signal.aborted && !isSealed(error)) log.warn({ error: describe(error) }, 'cannot rotate the keys that are due; the server will try again');
    }
    if (!signal.aborted) timer = clock.setTimeout(() => void look(), everyMs);
  };
  let timer = clock.setTimeout(() => void look(), everyMs);
  signal.addEventListener('abort', () => clock.clearTimeout(timer), { once: true });
}
