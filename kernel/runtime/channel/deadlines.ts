// Watches the deadlines of many calls with one timer, because a timer per call would cost more than the call itself.
import type { Clock, Timer } from '../../clock.ts';
import { type Linked, Ring } from '../../ring.ts';

export interface Due extends Linked {
  /** Monotonic time of the deadline; set by Deadlines. */
  dueAt: number;
  onDeadline(): void;
}

/** Calls with the same time limit, and so in the order of their deadlines. */
export class Deadlines {
  readonly #ms: number;
  readonly #clock: Clock;
  readonly #single: boolean;
  readonly #waiting = new Ring<Due>();
  #timer: Timer | undefined;

  /** @param single true if it is used for one call only */
  constructor(ms: number, clock: Clock, single = false) {
    this.#ms = ms;
    this.#clock = clock;
    this.#single = single;
  }

  /** Starts the time limit of a call. */
  add(call: Due): void {
    call.dueAt = this.#clock.monotonic() + this.#ms;
    this.#waiting.push(call);
    this.#timer ??= this.#clock.setTimeout(this.#ring, this.#ms);
  }

  delete(call: Due): void {
    this.#waiting.drop(call);
    if (this.#single) this.close();
  }

  /** Answers that have already arrived at this thread's ports are in time, even if the thread reads them late. So they are processed first. */
  readonly #ring = () => {
    this.#timer = undefined;
    setImmediate(this.#expire);
  };

  /** The timer is not reset when a call ends. When it fires, it is set for the next call. */
  readonly #expire = () => {
    // A call that was made since the timer fired may have set it again.
    this.close();
    const now = this.#clock.monotonic();
    for (let call = this.#waiting.oldest; call; call = this.#waiting.oldest) {
      if (call.dueAt > now) {
        this.#timer = this.#clock.setTimeout(this.#ring, call.dueAt - now);
        return;
      }
      this.#waiting.drop(call);
      call.onDeadline();
    }
  };

  /** Clears the timer, which would keep the process running. */
  close(): void {
    if (this.#timer) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
