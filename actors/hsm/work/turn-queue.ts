// Turns of calls, of which one runs at a time: first come, first served.

export class TurnQueue {
  #last: Promise<void> = Promise.resolve();
  #count = 0;

  /** Whether a call runs or waits. */
  get isBusy(): boolean {
    return this.#count > 0;
  }

  /** @returns when the turn has come, what ends it */
  async enter(): Promise<() => void> {
    const before = this.#last;
    let end = () => {};
    this.#last = new Promise((resolve) => {
      end = resolve;
    });
    this.#count += 1;
    await before;
    return () => {
      this.#count -= 1;
      end();
    };
  }
}
