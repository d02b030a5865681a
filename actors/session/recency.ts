// Entries in the order of their last use, as a ring of links: to use one anew costs a few writes, where a Map would have to make its table anew every few uses.

export interface Linked {
  readonly id: string;
  /** Undefined while it is in no ring. */
  before: Linked | undefined;
  after: Linked | undefined;
}

export class Recency<E extends Linked> {
  /** Between the newest and the oldest. */
  readonly #border: Linked = { id: '', before: undefined, after: undefined };

  constructor() {
    this.#border.before = this.#border;
    this.#border.after = this.#border;
  }

  /** The one that was not used for the longest time. */
  get oldest(): E | undefined {
    const { after } = this.#border;
    return after === this.#border ? undefined : (after as E);
  }

  /** Makes it the newest. */
  use(entry: E): void {
    const newest = this.#border.before as Linked;
    if (newest === entry) return;
    this.drop(entry);
    const last = this.#border.before as Linked;
    entry.before = last;
    entry.after = this.#border;
    last.after = entry;
    this.#border.before = entry;
  }

  drop(entry: E): void {
    const { before, after } = entry;
    if (!before || !after) return;
    before.after = after;
    after.before = before;
    // What has left must not keep others in memory.
    entry.before = undefined;
    entry.after = undefined;
  }
}
