// An injectable clock. All threads share one offset, so a test can move every clock at once.

/** All times are in milliseconds. XState uses `setTimeout` and `clearTimeout` of it. */
export interface Clock {
  /** Wall time, milliseconds since the epoch. */
  now(): number;
  /** Monotonic time of this thread in milliseconds; only differences are meaningful. */
  monotonic(): number;
  setTimeout(run: () => void, ms: number): Timer;
  clearTimeout(timer: Timer): void;
}

export interface Timer {
  readonly run: () => void;
  /** Due time on this thread's monotonic clock, because setting back the wall clock must not delay a deadline. */
  readonly dueAt: number;
  handle: NodeJS.Timeout;
}

/** The clock of one thread. Threads share `offset` as memory; a separate process gets it by message. */
export interface LocalClock extends Clock {
  readonly offset: BigInt64Array;
  /** Fires the timers that are due after the offset has changed. @returns how many fired */
  moved(): number;
}

const LONGEST_MS = 2 ** 31 - 1;

function sharedOffset(): BigInt64Array {
  return new BigInt64Array(new SharedArrayBuffer(8));
}

export function createClock(offset: BigInt64Array = sharedOffset()): LocalClock {
  const timers = new Set<Timer>();
  const moved = () => Number(Atomics.load(offset, 0));
  const monotonic = () => performance.now() + moved();
  const arm = (timer: Timer) => {
    timer.handle = setTimeout(() => fire(timer), Math.min(LONGEST_MS, Math.max(0, timer.dueAt - monotonic())));
  };
  const fire = (timer: Timer) => {
    // The delay may exceed the limit of setTimeout, or a test may have moved the clock: then set the timer again.
    if (timer.dueAt - monotonic() > 1) return arm(timer);
    timers.delete(timer);
    timer.run();
  };
  return {
    offset,
    now: () => Date.now() + moved(),
    monotonic,
    setTimeout(run, ms) {
      const timer = { run, dueAt: monotonic() + ms } as Timer;
      timer.handle = setTimeout(fire, Math.min(LONGEST_MS, Math.max(0, ms)), timer);
      timers.add(timer);
      return timer;
    },
    clearTimeout(timer) {
      if (!timer) return;
      clearTimeout(timer.handle);
      timers.delete(timer);
    },
    moved() {
      const due = [...timers].filter((timer) => timer.dueAt <= monotonic()).sort((a, b) => a.dueAt - b.dueAt);
      for (const timer of due) {
        if (!timers.delete(timer)) continue;
        clearTimeout(timer.handle);
        timer.run();
      }
      for (const timer of timers) {
        clearTimeout(timer.handle);
        arm(timer);
      }
      return due.length;
    },
  };
}
