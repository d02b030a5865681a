// How many requests of one caller are worked on at once: many while they are answered quickly, few while they are slow, so that the threads stay open for others.
import { Fault } from './fault.ts';

export interface TurnsOptions {
  /** What a caller has whose requests are all slow, while others are there too. */
  readonly least: number;
  /** What it has while it is alone: enough for every thread to have work. */
  readonly alone: number;
  /** Milliseconds by a clock that only moves forward. */
  monotonic(): number;
}

/** Ends a turn. */
export type Leave = () => void;

interface Caller {
  /** So many at once now. */
  allowed: number;
  busy: number;
  readonly waiting: Set<() => void>;
}

/** What is answered within this time lets the caller have one more at once; what takes longer than the other, half as many. */
const QUICK_MS = 100;
const SLOW_MS = 400;
const FIRST = 4;
const MAX_AT_ONCE = 512;
const MAX_WAITING = 1_024;
/** A caller is alone once no other one has asked for anything for this long. */
const ALONE_MS = 2_000;
/** Callers whose pace is remembered while they have nothing under way. */
const MAX_REMEMBERED = 10_000;

export class Turns {
  readonly #options: TurnsOptions;
  readonly #callers = new Map<string, Caller>();
  /** Who asked last, and when anybody else did. */
  #last: string | undefined;
  #otherAt = Number.NEGATIVE_INFINITY;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /**
   * Waits for a turn of this caller. @param signal of a caller that goes away while it waits
   * @throws Fault OVERLOADED where too much of it waits already, CANCELLED where it went away
   */
  enter(who: string, signal?: () => AbortSignal): Leave | Promise<Leave> {
    const caller = this.#callerOf(who);
    if (this.#last !== undefined && who !== this.#last) this.#otherAt = this.#options.monotonic();
    this.#last = who;
    if (caller.busy < caller.allowed) return this.#begin(caller);
    if (caller.waiting.size >= MAX_WAITING) throw new Fault('OVERLOADED', { detail: 'too many of your requests wait already, try again' });
    return this.#wait(caller, signal?.());
  }

  #wait(caller: Caller, signal: AbortSignal | undefined): Promise<Leave> {
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

  #begin(caller: Caller): Leave {
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

  #learn(caller: Caller, ms: number): void {
    if (ms <= QUICK_MS) caller.allowed = Math.min(MAX_AT_ONCE, caller.allowed + 1);
    else if (ms > SLOW_MS) caller.allowed = Math.max(this.#least(), caller.allowed >> 1);
  }

  #least(): number {
    const { least, alone, monotonic } = this.#options;
    return monotonic() - this.#otherAt > ALONE_MS ? alone : least;
  }

  #callerOf(who: string): Caller {
    let caller = this.#callers.get(who);
    if (caller) return caller;
    if (this.#callers.size >= MAX_REMEMBERED) this.#forget();
    caller = { allowed: Math.max(FIRST, this.#options.least), busy: 0, waiting: new Set() };
    this.#callers.set(who, caller);
    return caller;
  }

  /** Who has nothing under way begins anew. */
  #forget(): void {
    for (const [who, { busy }] of this.#callers) if (busy === 0) this.#callers.delete(who);
  }
}
