// The words of passages (MiniSearch), with a way to free those of removed passages while others are added and searched.
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import MiniSearch from 'minisearch';

/** Words that are cleared before others may have their turn. */
const SLICE = 1_000;
/** Passages that are added before others may have their turn. */
const ADDED = 32;

/**
 * The library's own `vacuum` walks along the index between its slices: it fails if a search or an addition changes the index meanwhile, and never runs again then.
 * This one walks along a list of the words that were there when it began.
 */
export class WordIndex<T> extends MiniSearch<T> {
  #clearing: Promise<void> | undefined;

  /** Searches that come meanwhile find what is there. @param check called before each slice; what it throws ends the work, and what is there stays */
  async addInSlices(passages: readonly T[], check: () => void): Promise<void> {
    for (let at = 0; at < passages.length; at += ADDED) {
      if (at > 0) await turn();
      check();
      this.addAll(passages.slice(at, at + ADDED));
    }
  }

  /** @returns how many passages have the term, once for each field; those of removed passages count until they are cleared */
  spreadOf(term: string): number {
    let count = 0;
    for (const passages of this._index.get(term)?.values() ?? []) count += passages.size;
    return count;
  }

  /** Frees what passages still take that were removed before this call, in slices. */
  async clear(): Promise<void> {
    while (this.#clearing) await this.#clearing;
    if (this._dirtCount === 0) return;
    this.#clearing = this.#clearAll().finally(() => {
      this.#clearing = undefined;
    });
    await this.#clearing;
  }

  async #clearAll(): Promise<void> {
    const dirt = this._dirtCount;
    for (const [at, word] of [...this._index.keys()].entries()) {
      if (at % SLICE === SLICE - 1) await wait(1);
      this.#clearWord(word);
    }
    this._dirtCount -= dirt;
  }

  #clearWord(word: string): void {
    const fields = this._index.get(word);
    // A search has come before.
    if (!fields) return;
    for (const [field, counts] of fields) {
      for (const passage of counts.keys()) if (!this._documentIds.has(passage)) counts.delete(passage);
      if (counts.size === 0) fields.delete(field);
    }
    if (fields.size === 0) this._index.delete(word);
  }
}
