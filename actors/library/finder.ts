// Finds the passages of a base that answer a question: by words, and by vectors where an embedder is configured.
import { Fault } from '../../kernel/fault.ts';
import type { Store } from '../../kernel/store/store.ts';
import type { Hit, SearchOptions } from './api.ts';
import type { BaseIndex, Match } from './base-index.ts';
import type { Embedder } from './embedder.ts';
import { fused } from './fusion.ts';
import type { Indexes } from './indexes.ts';
import type { ReferenceKeys } from './reference-keys.ts';
import { readPassages } from './rows.ts';

/** Passages of each ranking that are fused. */
const DEPTH = 200;

export interface Question extends SearchOptions {
  readonly base: string;
  readonly text: string;
  readonly caller: string;
  readonly signal: AbortSignal | undefined;
}

interface FinderParts {
  readonly store: Store;
  readonly keys: ReferenceKeys;
  readonly indexes: Indexes;
  readonly embedder: Embedder | undefined;
  /** Gets the name of the embedder of each question. */
  onEmbedder(name: string): void;
}

export class Finder {
  readonly #parts: FinderParts;

  constructor(parts: FinderParts) {
    this.#parts = parts;
  }

  /** @returns the best first @throws Fault of the model actor: an embedder that is configured and fails is not passed over in silence */
  async find(question: Question): Promise<Hit[]> {
    const { indexes, embedder: model } = this.#parts;
    // Nothing is asked, and servers of models refuse to embed it.
    if (question.text.trim() === '') return [];
    if (!model || question.ranking === 'words') {
      const index = await indexes.fresh(question.base);
      return this.#hits(index, await index.search(question.text, question.count));
    }
    const { embedder, vectors, dimensions } = await model.question(question.text, question.caller, question.signal);
    this.#parts.onEmbedder(embedder);
    const index = await indexes.fresh(question.base, embedder);
    if (!index.vectors.fits(dimensions))
      throw new Fault('MODEL_FAILED', {
        detail: `the model for embedding makes other vectors than before (of ${dimensions} numbers): give it another id in [[ai.models]], and they are made anew`,
      });
    const near = await index.vectors.searchInTurns(vectors, dimensions, DEPTH);
    const matches =
      question.ranking === 'vectors' ? fused([], near, () => true) : fused(await index.search(question.text, DEPTH), near, (id) => index.vectors.has(id));
    return this.#hits(index, matches.slice(0, question.count));
  }

  /** A reference that was removed after the search has no row any more: its passages are left out. */
  async #hits(index: BaseIndex, matches: readonly Match[]): Promise<Hit[]> {
    const rows = await readPassages(this.#parts.store, this.#parts.keys, matches);
    return matches.flatMap(({ reference, ordinal, score }) => {
      const row = rows.get(`${reference}:${ordinal}`);
      const name = index.references.get(reference)?.name;
      if (!row || name === undefined) return [];
      return [{ reference: name, text: row.text, score, ...(row.chapter !== '' && { chapter: row.chapter }), ...(row.page > 0 && { page: row.page }) }];
    });
  }
}
