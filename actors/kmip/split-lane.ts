// Runs short work of the CPU in the pool while cores are left for it, and else in this thread: one piece between two looks at its connections.

/** One piece, in the two ways in which it can be done. */
export interface Piece<T> {
  here(): T;
  inPool(): Promise<T>;
}

export interface SplitLaneOptions {
  /** Pieces that the pool has at a time. */
  readonly share: { readonly width: number };
  /** Those that may wait. */
  readonly maxWaiting: number;
  /** Called instead of waiting with too many; throws. */
  full(): never;
}

interface Waiting {
  here(): void;
  inPool(): Promise<void>;
}

export class SplitLane {
  readonly #options: SplitLaneOptions;
  readonly #waiting: Waiting[] = [];
  #inPool = 0;
  #isTurning = false;

  constructor(options: SplitLaneOptions) {
    this.#options = options;
  }

  /** @throws what `full` throws, at once; and the errors of the work */
  run<T>(piece: Piece<T>): Promise<T> {
    const { share, maxWaiting, full } = this.#options;
    if (this.#inPool < share.width) return this.#pooled(() => piece.inPool());
    if (this.#waiting.length >= maxWaiting) full();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const here = (): void => {
      try {
        resolve(piece.here());
      } catch (error) {
        reject(error);
      }
    };
    this.#waiting.push({ here, inPool: () => this.#pooled(() => piece.inPool()).then(resolve, reject) });
    this.#turnLater();
    return promise;
  }

  async #pooled<T>(work: () => Promise<T>): Promise<T> {
    this.#inPool += 1;
    try {
      return await work();
    } finally {
      this.#inPool -= 1;
      if (this.#inPool < this.#options.share.width) void this.#waiting.shift()?.inPool();
    }
  }

  #turnLater(): void {
    if (this.#isTurning) return;
    this.#isTurning = true;
    setImmediate(() => {
      this.#isTurning = false;
      this.#waiting.shift()?.here();
      if (this.#waiting.length > 0) this.#turnLater();
    });
  }
}
