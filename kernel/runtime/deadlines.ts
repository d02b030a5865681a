// The deadlines of many calls behind one timer: a timer of its own per call would cost more than the call.
import type { Clock, Timer } from '../clock.ts';

export interface Due {
  /** Monotonic time of the deadline, set by Deadlines. */
  dueAt: number;
  onDeadline(): void;
}

/** Calls with the same time to live, in the order of their deadlines. */
export class Deadlines {
  readonly #ms: number;
  readonly #clock: Clock;
  readonly #single: boolean;
  readonly #waiting = new Set<Due>();
  #timer: Timer | undefined;

  /** @param single for one call with a deadline of its own */
  constructor(ms: number, clock: Clock, single = false) {
    this.#ms = ms;
    this.#clock = clock;
    this.#single = single;
  }

  /** Starts the time of a call. */
  add(call: Due): void {
    call.dueAt = this.#clock.monotonic() + this.#ms;
    this.#waiting.add(call);
    this.#timer ??= this.#clock.setTimeout(this.#ring, this.#ms);
  }

  delete(call: Due): void {
    this.#waiting.delete(call);
    if (this.#single) this.close();
  }

  /** Answers that lie in this thread's ports already came in time, however late the thread gets to them: they are taken first. */
  readonly #ring = () => {
    this.#timer = undefined;
    setImmediate(this.#expire);
  };

  /** The timer is not moved when calls end; it looks for the next one when it rings. */
  readonly #expire = () => {
    // A call may have been made since it rang, and armed the timer for itself.
    this.close();
    const now = this.#clock.monotonic();
    for (const call of this.#waiting) {
      if (call.dueAt > now) {
        this.#timer = this.#clock.setTimeout(this.#ring, call.dueAt - now);
        return;
      }
      this.#waiting.delete(call);
      call.onDeadline();
    }
  };

  /** Lets the process end: an armed timer would hold it. */
  close(): void {
    if (this.#timer) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
