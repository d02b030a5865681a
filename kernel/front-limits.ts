// The limits that HTTPS and the listeners share: memory of requests, memory of answers, and turns of callers.
import type { Clock } from './clock.ts';
import type { KernelConfig } from './config/sections.ts';
import { cores } from './runtime/runtime.ts';
import { Shares } from './shares.ts';
import { Stalled } from './stalled.ts';
import { Turns } from './turns.ts';

export interface FrontLimits {
  /** Bytes of request bodies and messages, from their arrival to their answer. */
  readonly requests: Shares;
  /** Bytes of answers until they are sent. */
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
    // A caller with slow requests gets half of the threads while there are other callers. Real time is used here, because the duration of requests is real.
    turns: new Turns({ least: Math.max(1, Math.floor(cores / 2)), alone: cores, monotonic: () => performance.now() }),
    stalled: new Stalled({ clock, timeoutMs: write_timeout * 1_000, answers }),
  };
}
