// What both fronts share of their callers: memory of requests that arrive, memory of answers that leave, and turns at the actors.
import type { Clock } from './clock.ts';
import type { KernelConfig } from './config/sections.ts';
import { cores } from './runtime/runtime.ts';
import { Shares } from './shares.ts';
import { Stalled } from './stalled.ts';
import { Turns } from './turns.ts';

export interface FrontLimits {
  /** Bytes of bodies and messages that arrive or are worked on. */
  readonly requests: Shares;
  /** Bytes of answers from when they are there until they have left. */
  readonly answers: Shares;
  readonly turns: Turns;
  readonly stalled: Stalled;
}

export function frontLimits({ caller_memory, total_memory, write_timeout }: KernelConfig['http'], clock: Clock): FrontLimits {
  const shares = { each: caller_memory, total: total_memory };
  const answers = new Shares(shares);
  return {
    requests: new Shares(shares),
    answers,
    // A caller whose requests are all slow leaves half of the threads to others, where there are any. What they cost is real time, which no test moves.
    turns: new Turns({ least: Math.max(1, Math.floor(cores / 2)), alone: cores, monotonic: () => performance.now() }),
    stalled: new Stalled({ clock, timeoutMs: write_timeout * 1_000, answers }),
  };
}
