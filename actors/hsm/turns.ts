// Gives the thread a turn after a slow call of the token: its answer leaves, deadlines pass and questions are heard before the next one.

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
