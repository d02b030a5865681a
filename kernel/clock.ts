// An injectable clock. All threads share one offset, so a test can move every clock at once.

/** All times are in milliseconds. XState uses `setTimeout` and `clearTimeout` of it. */
export interface Clock {
  /** Wall time, milliseconds since the epoch. */
  now(): number;
  /** Monotonic time in milliseconds, the same in all threads of the process; only differences are meaningful. */
  monotonic(): number;
  /** @param run may return a promise of work in the background, which never rejects; a test that moves the time waits for it */
  setTimeout(run: () => void | Promise<void>, ms: number): Timer;
  clearTimeout(timer: Timer): void;
}

export interface Timer {
  readonly run: () => void | Promise<void>;
  /** Due time on this thread's monotonic clock, because setting back the wall clock must not delay a deadline. */
  readonly dueAt: number;
  handle: NodeJS.Timeout;
}

/** The clock of one thread. Threads share `offset` as memory; a separate process gets it by message. */
export interface LocalClock extends Clock {
  readonly offset: BigInt64Array;
  /** Fires the timers that are due after the offset has changed, and waits for the work that they began. @returns how many fired */
  fireDue(): Promise<number>;
}

/** The clock that `performance.now` reads, which begins with each thread anew. */
const BEGIN_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Monotonic time in milliseconds that no test moves, the same in all threads of the process. */
export function elapsedMs(): number {
  return performance.now() + BEGIN_MS;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

function sharedOffset(): BigInt64Array {
  return new BigInt64Array(new SharedArrayBuffer(8));
}

export function createClock(offset: BigInt64Array = sharedOffset()): LocalClock {
  const movedMs = () => Number(Atomics.load(offset, 0));
  const monotonic = () => elapsedMs() + movedMs();
  const timers = new Timers(monotonic);
  return {
    offset,
    now: () => Date.now() + movedMs(),
    monotonic,
    setTimeout: (run, ms) => timers.add(run, ms),
    clearTimeout: (timer) => timers.remove(timer),
    fireDue: () => timers.fireDue(),
  };
}

/** Timers that also work when a test moves the time. */
class Timers {
  readonly #timers = new Set<Timer>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  add(run: Timer['run'], ms: number): Timer {
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

  /** Call it after the time was moved. @returns how many timers were due and have fired */
  async fireDue(): Promise<number> {
    const due = [...this.#timers].filter((timer) => timer.dueAt <= this.#monotonic()).sort((a, b) => a.dueAt - b.dueAt);
    const begun: (void | Promise<void>)[] = [];
    for (const timer of due) {
      if (!this.#timers.delete(timer)) continue;
      clearTimeout(timer.handle);
      begun.push(timer.run());
    }
    for (const timer of this.#timers) {
      clearTimeout(timer.handle);
      this.#arm(timer, timer.dueAt - this.#monotonic());
    }
    await Promise.all(begun);
    return due.length;
  }

  #arm(timer: Timer, ms: number): void {
    timer.handle = setTimeout(this.#fire, Math.min(MAX_TIMER_MS, Math.max(0, ms)), timer);
  }

  readonly #fire = (timer: Timer): void => {
    // The delay may exceed the limit of setTimeout, or a test may have moved the clock: then set the timer again.
    const leftMs = timer.dueAt - this.#monotonic();
    if (leftMs > 1) return this.#arm(timer, leftMs);
    this.#timers.delete(timer);
    void timer.run();
  };
}
