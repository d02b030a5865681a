// The indexes of all bases that were searched since the start, each kept in step with the rows of the store.
import { Fault } from '../../kernel/fault.ts';
import type { Log } from '../../kernel/log/log-entry.ts';
import type { Store } from '../../kernel/store/store.ts';
import { BaseIndex } from './base-index.ts';
import type { ReferenceKeys } from './reference-keys.ts';
import { passagesOf, type ReferenceRow, referencesOf, revisionOf, titleOf } from './rows.ts';
import { vectorsOf } from './vector-rows.ts';

/** Of an index whose last refresh has failed. */
const INCOMPLETE = -1;
const TOO_LARGE = 'AI_BASE_TOO_LARGE';

const tooLarge = (): Fault => new Fault(TOO_LARGE);

interface Held {
  index: BaseIndex;
  /** Settles when the index has all that was there when it was last asked for. */
  last: Promise<unknown>;
  /** Revision of a base that did not fit into memory. */
  tooLarge?: number;
}

interface IndexesOptions {
  readonly store: Store;
  readonly keys: ReferenceKeys;
  readonly log: Log;
  /** Of the indexes of all bases. */
  readonly maxBytes: number;
}

export class Indexes {
  readonly #options: IndexesOptions;
  /** By base; the one that was searched last is the last. */
  readonly #held = new Map<string, Held>();

  constructor(options: IndexesOptions) {
    this.#options = options;
  }

  /**
   * One after the other for each base: an index changes in steps. A refresh that fails leaves an index that the next one completes.
   * @param embedder whose vectors the index has to have; without it those that it has
   * @throws Fault AI_BASE_TOO_LARGE
   */
  async fresh(base: string, embedder?: string): Promise<BaseIndex> {
    const held: Held = this.#held.get(base) ?? { index: new BaseIndex(), last: Promise.resolve() };
    this.#held.delete(base);
    this.#held.set(base, held);
    const next = held.last.then(() => this.#refresh(base, held, embedder ?? held.index.embedder));
    held.last = next.catch(() => {});
    await next;
    return held.index;
  }

  /** Reads what has changed since the last search, here or on another node: references that are gone or new. */
  async #refresh(base: string, held: Held, embedder: string): Promise<void> {
    const { store, log } = this.#options;
    const { index } = held;
    const revision = (await revisionOf(store, base)) ?? 0;
    if (revision === held.tooLarge) throw tooLarge();
    if (revision === index.revision && embedder === index.embedder) return;
    index.revision = INCOMPLETE;
    try {
      const rows = await referencesOf(store, base);
      const current = new Set(rows.map(({ id }) => id));
      for (const id of [...index.references.keys()]) if (!current.has(id)) index.remove(id);
      delete held.tooLarge;
      // Only what is new is opened: a base may have more references than keys are kept, and changes with every one that is added.
      for (const row of rows) if (!index.references.has(row.id)) await this.#addTo(base, index, row);
      await this.#readVectors(index, rows, embedder);
      index.revision = revision;
      index.clear().catch((error: unknown) => log.warn({ base, error: String(error) }, 'the memory of removed references could not be freed'));
    } catch (error) {
      if (!(error instanceof Fault && error.code === TOO_LARGE)) throw error;
      // Its memory is free at once: to clear it word by word would take as long as it took to fill.
      held.index = new BaseIndex();
      held.tooLarge = revision;
      throw error;
    }
  }

  async #addTo(base: string, index: BaseIndex, row: ReferenceRow): Promise<void> {
    const { store, keys } = this.#options;
    const [title, passages] = [await titleOf(store, keys, row), await passagesOf(store, keys, row.id)];
    await index.add(row.id, row.name, title, passages, () => this.#makeRoom(base));
  }

  /** Gives up the indexes of other bases, of which nobody has asked for the longest time: the next search there reads them anew. */
  #makeRoom(base: string): void {
    const bytes = () => this.#held.values().reduce((sum, { index }) => sum + index.bytes, 0);
    for (const other of this.#held.keys()) {
      if (bytes() <= this.#options.maxBytes) return;
      if (other !== base) this.#held.delete(other);
    }
    if (bytes() > this.#options.maxBytes) throw tooLarge();
  }

  /** Vectors of different embedders are never in one index. */
  async #readVectors(index: BaseIndex, rows: readonly ReferenceRow[], embedder: string): Promise<void> {
    if (embedder !== index.embedder) index.vectors.clear();
    index.embedder = embedder;
    if (embedder === '') return;
    for (const row of rows)
      if (row.embedder === embedder && !index.vectors.has(row.id))
        index.vectors.add(row.id, await vectorsOf(this.#options.store, this.#options.keys, row.id, embedder));
  }
}
