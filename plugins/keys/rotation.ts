// Looks for keys that are due to rotate, again and again, one look at a time.
import { describe } from '../../kernel/fault.ts';
import type { KeysContext } from './actors.ts';

/** 0 seconds: never. */
export function rotateRegularly({ config, actors, clock, log, signal }: KeysContext): void {
  const everyMs = config.rotation_check_seconds * 1_000;
  if (everyMs === 0) return;
  const look = async () => {
    try {
      const rotated = await actors.kmip.rotateDue();
      if (rotated > 0) log.info({ keys: rotated }, 'keys rotated');
    } catch (error) {
      if (!signal.aborted) log.warn({ error: describe(error) }, 'keys that are due to rotate could not be looked for');
    }
    if (!signal.aborted) timer = clock.setTimeout(() => void look(), everyMs);
  };
  let timer = clock.setTimeout(() => void look(), everyMs);
  signal.addEventListener('abort', () => clock.clearTimeout(timer), { once: true });
}
