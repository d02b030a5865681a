// Entries in the order in which they came, any of which can leave or come anew: a few writes each, where a Set or a Map makes its table anew every few of them.

export interface Linked {
  /** Undefined while it is in no ring. Only the ring writes them. */
  before: Linked | undefined;
  after: Linked | undefined;
}

/** An entry is in one ring at most. */
export class Ring<E extends Linked> {
  /** Between the newest and the oldest. */
  readonly #border: Linked = { before: undefined, after: undefined };

  constructor() {
    this.#border.before = this.#border;
    this.#border.after = this.#border;
  }

  /** The one that came before all others. */
  get oldest(): E | undefined {
    const { after } = this.#border;
    return after === this.#border ? undefined : (after as E);
  }

  /** Makes it the newest. */
  push(entry: E): void {
    const newest = this.#border.before as Linked;
    if (newest === entry) return;
    this.drop(entry);
    const last = this.#border.before as Linked;
    entry.before = last;
    entry.after = this.#border;
    last.after = entry;
    this.#border.before = entry;
  }

  /** Does nothing to one that is not in it. */
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
