// When a call on a token may begin, and a turn for the thread after some work: the answers leave, deadlines pass and questions are heard before the next.
import { AsyncResource } from 'node:async_hooks';

/** When a call may begin. */
export interface Turn {
  /** Settles when it may; undefined if it may now. */
  pause(): Promise<void> | undefined;
  /** Begins it now if it may, else after those that have come before. The work ends at once, or leaves the call to others. */
  next<T>(work: () => T | Promise<T>): T | Promise<T>;
  /** Whether somebody still waits for it. */
  isAwaited(): boolean;
  /** Runs it in this thread. */
  time<T>(work: () => T): T;
}

export const AT_ONCE: Turn = { pause: () => undefined, next: (work) => work(), isAwaited: () => true, time: (work) => work() };
/** Nobody reads it. */
export const GIVEN_UP = { ok: false, failure: { why: 'unavailable', text: 'the caller has given up' } } as const;

/** Of work, in milliseconds; a turn costs about a hundredth of it. Answers that stayed until all calls at hand are done would leave callers, and then this thread, with nothing to do. */
const WORK_MS = 1;

export class Turns {
  /** Settles when the next call may begin; undefined if it may now. */
  pause: Promise<void> | undefined;
  readonly #waiting: (() => void)[] = [];
  #workedMs = 0;

  next<T>(work: () => T | Promise<T>): T | Promise<T> {
    if (this.pause === undefined && this.#waiting.length === 0) return work();
    // AsyncResource.bind would make functions and accessors for each, which outlive it: most of the garbage of this thread.
    const own = new AsyncResource('HSM_TURN');
    return new Promise((resolve, reject) => {
      const begin = () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.push(() => own.runInAsyncScope(begin));
    });
  }

  time<T>(work: () => T): T {
    const start = performance.now();
    try {
      return work();
    } finally {
      this.#workedMs += performance.now() - start;
      if (this.#workedMs >= WORK_MS) this.#turn();
    }
  }

  #turn(): void {
    this.#workedMs = 0;
    this.pause ??= new Promise((begin) => {
      // The first one sends the answer, the second one comes after what has arrived meanwhile.
      setImmediate(() =>
        setImmediate(() => {
          this.pause = undefined;
          begin();
          // Those that wait for the promise come first, and leave at least one of these its turn.
          if (this.#waiting.length > 0) setImmediate(() => this.#begin());
        }),
      );
    });
  }

  #begin(): void {
    do this.#waiting.shift()?.();
    while (this.pause === undefined && this.#waiting.length > 0);
  }
}
