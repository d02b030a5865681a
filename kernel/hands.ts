// Reads the wall clock and the elapsed time together, which shows whether the wall clock has jumped.
import { uptime } from 'node:os';
import { type Clock, elapsedMs } from './clock.ts';

/** What they show at one moment. */
export interface Reading {
  readonly wall: number;
  readonly elapsed: number;
}

/** Both in milliseconds; of the second only differences are meaningful, and it also runs while the machine sleeps. */
export interface Hands {
  wallMs(): number;
  elapsedMs(): number;
}

/** The monotonic clock may stand still while the machine sleeps; the time since the boot does not on Linux. */
export function handsOf(clock: Clock): Hands {
  return { wallMs: () => clock.now(), elapsedMs: () => clock.monotonic() - elapsedMs() + uptime() * 1_000 };
}

export function readHands(hands: Hands): Reading {
  return { wall: hands.wallMs(), elapsed: hands.elapsedMs() };
}
