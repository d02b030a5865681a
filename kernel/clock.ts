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
  const timers = new Set<Timer>();
  const moved = () => Number(Atomics.load(offset, 0));
  const monotonic = () => performance.now() + moved();
  const arm = (timer: Timer) => {
    timer.handle = setTimeout(() => fire(timer), Math.min(LONGEST_MS, Math.max(0, timer.dueAt - monotonic())));
  };
  const fire = (timer: Timer) => {
    // A timer longer than setTimeout can hold, or one that the test clock was moved under, is armed again.
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
