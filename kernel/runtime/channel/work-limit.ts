// Limits how long a thread works on a call: in CPU time where the system tells it, so that a call does not pay for a busy machine.
import type { Clock } from '../../clock.ts';
import { ThreadTime } from '../measure/thread-time.ts';
import type { Channel } from './channel.ts';
import { Deadlines } from './deadlines.ts';

/** A thread that waits for the CPU, or for anything else, has so many times its limit on the clock. */
const MOST_TIMES = 10;

/** Asked when the time on the clock is over. @returns what watches the call from now on; undefined if its work may not go on */
export type Extension = () => Deadlines | undefined;

export class WorkLimit {
  /** Of calls that run, on the clock. */
  readonly deadlines: Deadlines;
  readonly #ms: number;
  readonly #clock: Clock;
  #channel: Channel | undefined;
  #time: ThreadTime | undefined;

  constructor(ms: number, clock: Clock) {
    this.#ms = ms;
    this.#clock = clock;
    this.deadlines = new Deadlines(ms, clock);
  }

  /** The work is done at the other end of this channel from now on. */
  follow(channel: Channel): void {
    this.#forget();
    this.#channel = channel;
    channel.onControl((message) => {
      if (message.kind !== 'thread' || this.#channel !== channel || this.#time) return;
      this.#time = typeof message['number'] === 'number' ? ThreadTime.of(message['number']) : undefined;
    });
    channel.control({ kind: 'whichThread' });
    // In a batch of its own: one that has a call would be answered after its work.
    channel.flush();
  }

  /** Call it when work begins. */
  begin(): Extension {
    const from = this.#time?.ms();
    const last = this.#clock.monotonic() + this.#ms * MOST_TIMES;
    return () => {
      const time = this.#time;
      const used = time?.ms();
      if (!time || used === undefined) return undefined;
      // The first call of a thread begins a moment before the thread has told its number.
      const ms = Math.min(this.#ms - (used - (from ?? time.atFirst)), last - this.#clock.monotonic());
      return ms > 0 ? new Deadlines(Math.max(1, ms), this.#clock, true) : undefined;
    };
  }

  /** A watch would keep the process running until the next deadline. */
  close(): void {
    this.#forget();
    this.deadlines.close();
  }

  #forget(): void {
    this.#channel = undefined;
    this.#time?.close();
    this.#time = undefined;
  }
}
