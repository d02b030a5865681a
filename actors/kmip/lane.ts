// Runs work on threads of the pool, some pieces at a time; the others wait in order.

export interface LaneOptions {
  /** Pieces of work at a time. */
  readonly width: number;
  /** Those that may wait. */
  readonly maxWaiting: number;
  /** Called instead of waiting with too many; throws. */
  full(): never;
}

export class Lane {
  readonly #options: LaneOptions;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** @throws what `full` throws, at once; and the errors of the work */
  run<T>(work: () => Promise<T>): Promise<T> {
    const { width, maxWaiting, full } = this.#options;
    if (this.#running < width) {
      this.#running += 1;
      return this.#start(work);
    }
    if (this.#waiting.length >= maxWaiting) full();
    return new Promise<void>((resolve) => this.#waiting.push(resolve)).then(() => this.#start(work));
  }

  async #start<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      // The next one gets this place at once: nobody who comes before it starts can take the place too.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
