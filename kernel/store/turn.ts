// Lets the threads that write one SQLite file take turns: a waiting thread is notified when the write lock is free and can do other work meanwhile.
import { Fault } from '../fault.ts';

/** Waiters also poll, because nobody notifies them if the lock was held by another process or by a thread that was ended. */
const LOOK_AGAIN_MS = 10;

export class Turn {
  /** Counts releases of the lock; shared by all threads. */
  readonly #cell: Int32Array;
  readonly #longestMs: number;
  /** Another thread was notified: it goes first. */
  #isTheirs = false;

  /** @param cell one element of shared memory @param longestMs longest wait */
  constructor(cell: Int32Array, longestMs: number) {
    this.#cell = cell;
    this.#longestMs = longestMs;
  }

  /**
   * Settles when `attempt` has taken the lock.
   * @param attempt tries to take the lock and returns whether it did
   * @throws Fault OVERLOADED if that takes too long
   */
  async take(attempt: () => boolean): Promise<void> {
    const until = performance.now() + this.#longestMs;
    for (;;) {
      const seen = Atomics.load(this.#cell, 0);
      if (this.#isTheirs) this.#isTheirs = false;
      else if (attempt()) return;
      if (performance.now() >= until) throw new Fault('OVERLOADED', { detail: 'the database stays locked; try again later' });
      await this.#change(seen);
    }
  }

  /** Call it when the lock is free again. */
  pass(): void {
    Atomics.add(this.#cell, 0, 1);
    this.#isTheirs = Atomics.notify(this.#cell, 0, 1) > 0;
  }

  async #change(seen: number): Promise<void> {
    // Atomics.waitAsync does not keep the process alive; a timer does.
    const timer = setTimeout(() => {}, 2 * LOOK_AGAIN_MS);
    await Atomics.waitAsync(this.#cell, 0, seen, LOOK_AGAIN_MS + Math.random()).value;
    clearTimeout(timer);
  }
}
