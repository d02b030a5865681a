// Wakes another thread: its listeners run, and look in shared memory for what has changed.
import type { Regions } from './region.ts';

const CELLS = 64;

export class Bell {
  readonly #cells: Int32Array;
  readonly #own: number;
  readonly #listeners = new Set<() => void>();
  #isOpen = false;

  constructor(regions: Regions) {
    const { words, thread } = regions.open('bell', { numbers: 0, words: CELLS });
    this.#cells = words;
    this.#own = thread;
  }

  listen(listener: () => void): void {
    this.#listeners.add(listener);
    if (this.#isOpen) return;
    this.#isOpen = true;
    void this.#hear();
  }

  ring(thread: number): void {
    Atomics.add(this.#cells, thread, 1);
    Atomics.notify(this.#cells, thread);
  }

  close(): void {
    this.#isOpen = false;
    this.#listeners.clear();
    this.ring(this.#own);
  }

  async #hear(): Promise<void> {
    let seen = Atomics.load(this.#cells, this.#own);
    while (this.#isOpen) {
      await Atomics.waitAsync(this.#cells, this.#own, seen).value;
      seen = Atomics.load(this.#cells, this.#own);
      for (const listener of this.#listeners) listener();
    }
  }
}
