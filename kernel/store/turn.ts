// Turns of the threads that write one SQLite file: who waits for the write lock is told when it is free, and the thread goes on meanwhile.
import { Fault } from '../fault.ts';

/** A lock that another process holds, or a thread that was ended, is free without anybody being told. */
const LOOK_AGAIN_MS = 10;

export class Turn {
  /** Counts what was let go; shared by all threads. */
  readonly #cell: Int32Array;
  readonly #longestMs: number;
  /** Somebody waits: they come first. */
  #isTheirs = false;

  /** @param cell one element in shared memory @param longestMs that anybody waits */
  constructor(cell: Int32Array, longestMs: number) {
    this.#cell = cell;
    this.#longestMs = longestMs;
  }

  /**
   * Settles when `attempt` has taken the lock.
   * @param attempt false while another has it
   * @throws Fault OVERLOADED
   */
  async take(attempt: () => boolean): Promise<void> {
    const until = performance.now() + this.#longestMs;
    for (;;) {
      const seen = Atomics.load(this.#cell, 0);
      if (this.#isTheirs) this.#isTheirs = false;
      else if (attempt()) return;
      if (performance.now() >= until) throw new Fault('OVERLOADED', { detail: 'the database stays locked' });
      await this.#change(seen);
    }
  }

  /** The lock is free again. */
  pass(): void {
    Atomics.add(this.#cell, 0, 1);
    this.#isTheirs = Atomics.notify(this.#cell, 0, 1) > 0;
  }

  async #change(seen: number): Promise<void> {
    // A wait for shared memory does not keep a process alive; a timer does.
    const timer = setTimeout(() => {}, 2 * LOOK_AGAIN_MS);
    await Atomics.waitAsync(this.#cell, 0, seen, LOOK_AGAIN_MS + Math.random()).value;
    clearTimeout(timer);
  }
}
