// Limits how many requests of one caller run at once: many while they are quick, few while they are slow, so that threads stay free for others.
import { Fault } from './fault.ts';

export interface TurnsOptions {
  /** Requests at once of a caller whose requests are all slow, while there are other callers. */
  readonly least: number;
  /** The same while it is the only caller: enough to keep every thread busy. */
  readonly alone: number;
  /** Monotonic time in milliseconds. */
  monotonic(): number;
}

/** Ends a turn. */
export type Leave = () => void;

interface CallerTurns {
  /** Current limit of requests at once. */
  allowed: number;
  busy: number;
  readonly waiting: Set<() => void>;
}

/** A request within QUICK_MS raises the limit of its caller by one; one that takes longer than SLOW_MS halves it. */
const QUICK_MS = 100;
const SLOW_MS = 400;
const FIRST = 4;
const MAX_AT_ONCE = 512;
const MAX_WAITING = 1_024;
/** A caller counts as the only one if no other caller has sent a request for this time. */
const ALONE_MS = 2_000;
/** Above this number of callers, those without running requests are forgotten. */
const MAX_REMEMBERED = 10_000;

export class Turns {
  readonly #options: TurnsOptions;
  readonly #callers = new Map<string, CallerTurns>();
  /** The last caller, and the last time that the caller changed. */
  #last: string | undefined;
  #otherAt = Number.NEGATIVE_INFINITY;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /**
   * Waits for a turn of this caller. @param signal aborted if the caller goes away while it waits
   * @throws Fault OVERLOADED if too many requests of this caller wait already, CANCELLED if it goes away
   */
  enter(who: string, signal?: () => AbortSignal): Leave | Promise<Leave> {
    const caller = this.#callerOf(who);
    if (this.#last !== undefined && who !== this.#last) this.#otherAt = this.#options.monotonic();
    this.#last = who;
    if (caller.busy < caller.allowed) return this.#begin(caller);
    if (caller.waiting.size >= MAX_WAITING)
      throw new Fault('OVERLOADED', { detail: 'too many of your requests are waiting; try again when some are answered' });
    return this.#wait(caller, signal?.());
  }

  #wait(caller: CallerTurns, signal: AbortSignal | undefined): Promise<Leave> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', abandon);
        resolve(this.#begin(caller));
      };
      const abandon = () => {
        caller.waiting.delete(start);
        reject(new Fault('CANCELLED'));
      };
      if (signal?.aborted) return abandon();
      signal?.addEventListener('abort', abandon, { once: true });
      caller.waiting.add(start);
    });
  }

  #begin(caller: CallerTurns): Leave {
    const since = this.#options.monotonic();
    let isOver = false;
    caller.busy += 1;
    return () => {
      if (isOver) return;
      isOver = true;
      caller.busy -= 1;
      this.#learn(caller, this.#options.monotonic() - since);
      for (const start of caller.waiting) {
        if (caller.busy >= caller.allowed) return;
        caller.waiting.delete(start);
        start();
      }
    };
  }

  #learn(caller: CallerTurns, ms: number): void {
    if (ms <= QUICK_MS) caller.allowed = Math.min(MAX_AT_ONCE, caller.allowed + 1);
    else if (ms > SLOW_MS) caller.allowed = Math.max(this.#least(), caller.allowed >> 1);
  }

  #least(): number {
    const { least, alone, monotonic } = this.#options;
    return monotonic() - this.#otherAt > ALONE_MS ? alone : least;
  }

  #callerOf(who: string): CallerTurns {
    let caller = this.#callers.get(who);
    if (caller) return caller;
    if (this.#callers.size >= MAX_REMEMBERED) this.#forget();
    caller = { allowed: Math.max(FIRST, this.#options.least), busy: 0, waiting: new Set() };
    this.#callers.set(who, caller);
    return caller;
  }

  /** Forgets the callers without running requests; they start again with the first limit. */
  #forget(): void {
    for (const [who, { busy }] of this.#callers) if (busy === 0) this.#callers.delete(who);
  }
}
