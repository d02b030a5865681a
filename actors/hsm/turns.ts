// When a call on a token may begin, and a turn for the thread after a slow one: its answer leaves, deadlines pass and questions are heard before the next.

/** When a call may begin. */
export interface Turn {
  /** Settles when it may; undefined if it may now. */
  pause(): Promise<void> | undefined;
  /** Whether somebody still waits for it. */
  isAwaited(): boolean;
  /** Runs it in this thread. */
  time<T>(work: () => T): T;
}

export const AT_ONCE: Turn = { pause: () => undefined, isAwaited: () => true, time: (work) => work() };
/** Nobody reads it. */
export const GIVEN_UP = { ok: false, failure: { why: 'unavailable', text: 'the caller has given up' } } as const;

/** Milliseconds; a turn costs less than a hundredth of it. */
const SLOW_MS = 2;

export class Turns {
  /** Settles when the next call may begin; undefined if it may now. */
  pause: Promise<void> | undefined;

  time<T>(work: () => T): T {
    const start = performance.now();
    try {
      return work();
    } finally {
      if (performance.now() - start >= SLOW_MS) this.#turn();
    }
  }

  #turn(): void {
    this.pause ??= new Promise((begin) => {
      // The first one sends the answer, the second one comes after what has arrived meanwhile.
      setImmediate(() =>
        setImmediate(() => {
          this.pause = undefined;
          begin();
        }),
      );
    });
  }
}
