// The indexes of all bases that were searched since the start, each kept in step with the rows of the store.
import type { Log } from '../../kernel/log-entry.ts';
import type { Store } from '../../kernel/store/store.ts';
import { BaseIndex } from './base-index.ts';
import type { ReferenceKeys } from './reference-keys.ts';
import { passagesOf, type ReferenceRow, referencesOf, revisionOf, titleOf } from './rows.ts';
import { vectorsOf } from './vector-rows.ts';

/** Of an index whose last refresh has failed. */
const INCOMPLETE = -1;

export class Indexes {
  readonly #store: Store;
  readonly #keys: ReferenceKeys;
  readonly #log: Log;
  /** By base: settles when the index has all that was there when it was asked for. */
  readonly #indexes = new Map<string, Promise<BaseIndex>>();

  constructor(store: Store, keys: ReferenceKeys, log: Log) {
    this.#store = store;
    this.#keys = keys;
    this.#log = log;
  }

  /**
   * One after the other for each base: an index changes in steps. A refresh that fails leaves an index that the next one completes.
   * @param embedder whose vectors the index has to have; without it those that it has
   */
  fresh(base: string, embedder?: string): Promise<BaseIndex> {
    const last = this.#indexes.get(base) ?? Promise.resolve(new BaseIndex());
    const next = last.then((index) => this.#refresh(base, index, embedder ?? index.embedder));
    this.#indexes.set(
      base,
      next.catch(() => last),
    );
    return next;
  }

  /** Reads what has changed since the last search, here or on another node: references that are gone or new. */
  async #refresh(base: string, index: BaseIndex, embedder: string): Promise<BaseIndex> {
    const revision = (await revisionOf(this.#store, base)) ?? 0;
    if (revision === index.revision && embedder === index.embedder) return index;
    index.revision = INCOMPLETE;
    const rows = await referencesOf(this.#store, base);
    const current = new Set(rows.map(({ id }) => id));
    for (const id of [...index.references.keys()]) if (!current.has(id)) index.remove(id);
    // Only what is new is opened: a base may have more references than keys are kept, and changes with every one that is added.
    for (const row of rows) if (!index.references.has(row.id)) await this.#addTo(index, row);
    await this.#readVectors(index, rows, embedder);
    index.revision = revision;
    index.clear().catch((error: unknown) => this.#log.warn({ base, error: String(error) }, 'the memory of removed references could not be freed'));
    return index;
  }

  async #addTo(index: BaseIndex, row: ReferenceRow): Promise<void> {
    const [title, passages] = [await titleOf(this.#store, this.#keys, row), await passagesOf(this.#store, this.#keys, row.id)];
    await index.add(row.id, row.name, title, passages);
  }

  /** Vectors of different embedders are never in one index. */
  async #readVectors(index: BaseIndex, rows: readonly ReferenceRow[], embedder: string): Promise<void> {
    if (embedder !== index.embedder) index.vectors.clear();
    index.embedder = embedder;
    if (embedder === '') return;
    for (const row of rows)
      if (row.embedder === embedder && !index.vectors.has(row.id)) index.vectors.add(row.id, await vectorsOf(this.#store, this.#keys, row.id, embedder));
  }
}
