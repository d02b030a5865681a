// The two hands that show whether a wall clock jumps: its time, and what has elapsed.
import { uptime } from 'node:os';
import { type Clock, elapsedMs } from './clock.ts';

/** Both in milliseconds; of the second only differences are meaningful, and it also runs while the machine sleeps. */
export interface Hands {
  wallMs(): number;
  elapsedMs(): number;
}

/** The monotonic clock may stand still while the machine sleeps; the time since the boot does not on Linux. */
export function handsOf(clock: Clock): Hands {
  return { wallMs: () => clock.now(), elapsedMs: () => clock.monotonic() - elapsedMs() + uptime() * 1_000 };
}
