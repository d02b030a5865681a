// Time that is injected: one offset shared by all threads, so that a test moves every clock at once.

/** Milliseconds; the part of a clock that XState needs is `setTimeout` and `clearTimeout`. */
export interface Clock {
  /** Wall time, milliseconds since the epoch. */
  now(): number;
  /** This thread's time for measuring, milliseconds; only differences mean something. */
  monotonic(): number;
  setTimeout(run: () => void, ms: number): Timer;
  clearTimeout(timer: Timer): void;
}

export interface Timer {
  readonly run: () => void;
  /** When it is due, by this thread's monotonic time: a wall clock set back must not hold a deadline. */
  readonly dueAt: number;
  handle: NodeJS.Timeout;
}

/** A clock of one thread. `offset` is shared memory in threads; a process of its own gets the offset by message. */
export interface LocalClock extends Clock {
  readonly offset: BigInt64Array;
  /** Fires what is due after the offset has changed; returns how many timers fired. */
  moved(): number;
}

const LONGEST_MS = 2 ** 31 - 1;

function sharedOffset(): BigInt64Array {
  return new BigInt64Array(new SharedArrayBuffer(8));
}

export function createClock(offset: BigInt64Array = sharedOffset()): LocalClock {
  const moved = () => Number(Atomics.load(offset, 0));
  const monotonic = () => performance.now() + moved();
  const timers = new Timers(monotonic);
  return {
    offset,
    now: () => Date.now() + moved(),
    monotonic,
    setTimeout: (run, ms) => timers.add(run, ms),
    clearTimeout: (timer) => timers.remove(timer),
    moved: () => timers.fireDue(),
  };
}

/** Timers over a time that may jump. */
class Timers {
  readonly #timers = new Set<Timer>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  add(run: () => void, ms: number): Timer {
    const timer = { run, dueAt: this.#monotonic() + ms } as Timer;
    this.#arm(timer, ms);
    this.#timers.add(timer);
    return timer;
  }

  remove(timer: Timer | undefined): void {
    if (!timer) return;
    clearTimeout(timer.handle);
    this.#timers.delete(timer);
  }

  /** After the time has jumped. @returns how many timers were due and have been fired */
  fireDue(): number {
    const due = [...this.#timers].filter((timer) => timer.dueAt <= this.#monotonic()).sort((a, b) => a.dueAt - b.dueAt);
    for (const timer of due) {
      if (!this.#timers.delete(timer)) continue;
      clearTimeout(timer.handle);
      timer.run();
    }
    for (const timer of this.#timers) {
      clearTimeout(timer.handle);
      this.#arm(timer, timer.dueAt - this.#monotonic());
    }
    return due.length;
  }

  #arm(timer: Timer, ms: number): void {
    timer.handle = setTimeout(this.#fire, Math.min(LONGEST_MS, Math.max(0, ms)), timer);
  }

  readonly #fire = (timer: Timer): void => {
    // A timer longer than setTimeout can hold, or one that the test clock was moved under, is armed again.
    const leftMs = timer.dueAt - this.#monotonic();
    if (leftMs > 1) return this.#arm(timer, leftMs);
    this.#timers.delete(timer);
    timer.run();
  };
}
