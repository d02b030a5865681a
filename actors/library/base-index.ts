// The index of one base in memory: finds passages by the words of a question (BM25) and by vectors. The rows of the store are the truth.
import { setImmediate as turn } from 'node:timers/promises';
import { termOf, termsInSlices, wordsOf } from '../../text/words.ts';
import { headingOf } from './embedder.ts';
import type { PassageRow } from './rows.ts';
import { VectorIndex } from './vector-index.ts';
import { WordIndex } from './word-index.ts';

interface Indexed {
  readonly id: string;
  readonly text: string;
  /** Of the document and of the chapter. */
  readonly heading: string;
}

/**
 * `k` bounds what a repeated word adds, `b` is what a long passage loses; a word in a heading counts as much as one in the text. Chosen on the odd questions of a
 * public collection (Cranfield); bench/retrieval reports the even ones apart.
 */
const BM25 = { k: 2, b: 0.8, d: 0 };
/** Of the words of one question in passages: more would take seconds in which nobody else is served, and hundreds of megabytes. */
const MAX_OCCURRENCES = 250_000;
/** What an index takes, measured with texts and, the first, with words that each occur once: for a term, for each occurrence of one, and for a passage. */
const BYTES = { term: 700, occurrence: 40, passage: 600 } as const;
/** After how many more or fewer occurrences terms are counted again, at least, and as a part of those that were there. */
const [MIN_CHANGE, CHANGE] = [1_000, 0.15];
/** Terms have no space in them. */
const AS_TERMS = { tokenize: (terms: string) => terms.split(' '), processTerm: (term: string) => term };

export interface Match {
  readonly reference: string;
  readonly ordinal: number;
  readonly score: number;
}

export class BaseIndex {
  /** Of the base, when its rows were read. */
  revision = 0;
  /** By ID: the name of a reference, the number of its passages and that of the words in them. */
  readonly references = new Map<string, { readonly name: string; readonly passages: number; readonly occurrences: number }>();
  /** Name of the embedder whose vectors these are. */
  embedder = '';
  readonly vectors = new VectorIndex();
  #passages = 0;
  #occurrences = 0;
  #counted = { occurrences: 0, terms: 0 };
  readonly #search = new WordIndex<Indexed>({
    fields: ['heading', 'text'],
    tokenize: wordsOf,
    processTerm: (word) => {
      this.#occurrences += 1;
      return termOf(word) ?? null;
    },
    // Discarded passages are cleared away by `clear`, not by a timer.
    autoVacuum: false,
  });

  /** In slices; searches may come between them. @param check called before each slice; what it throws ends the work, and the index is of no use then */
  async add(id: string, name: string, title: string, passages: readonly PassageRow[], check = () => {}): Promise<void> {
    const before = this.#occurrences;
    const indexed = passages.map(({ ordinal, chapter, text }) => ({ id: `${id}:${ordinal}`, text, heading: headingOf(title, chapter) }));
    this.#passages += indexed.length;
    await this.#search.addInSlices(indexed, check);
    this.references.set(id, { name, passages: indexed.length, occurrences: this.#occurrences - before });
  }

  remove(id: string): void {
    const { passages, occurrences } = this.references.get(id) ?? { passages: 0, occurrences: 0 };
    this.references.delete(id);
    this.vectors.remove(id);
    this.#passages -= passages;
    this.#occurrences -= occurrences;
    this.#search.discardAll(Array.from({ length: passages }, (_, ordinal) => `${id}:${ordinal}`));
  }

  /** About as many bytes of the heap. Those of removed passages count, but for their occurrences, until they are cleared. Vectors lie elsewhere. */
  get bytes(): number {
    return this.#terms() * BYTES.term + this.#occurrences * BYTES.occurrence + this.#passages * BYTES.passage;
  }

  /** They are counted one by one, so only when the index has become something else since the last count. */
  #terms(): number {
    const { occurrences, terms } = this.#counted;
    const change = Math.abs(this.#occurrences - occurrences);
    if (change <= Math.max(MIN_CHANGE, occurrences * CHANGE)) return terms;
    this.#counted = { occurrences: this.#occurrences, terms: this.words };
    return this.#counted.terms;
  }

  /** Gives the memory of removed passages back, in slices; searches and changes may come between them. */
  clear(): Promise<void> {
    return this.#search.clear();
  }

  /** Words that it holds, those of removed passages too until they are cleared. */
  get words(): number {
    return this.#search.termCount;
  }

  /** Others have their turn while a long question is read. @param count of passages at most @returns the best first */
  async search(query: string, count: number): Promise<Match[]> {
    const terms = await this.#termsFor(query);
    return this.#search
      .search(terms.join(' '), { bm25: BM25, ...AS_TERMS })
      .slice(0, count)
      .map(({ id, score }) => {
        const [reference, ordinal] = (id as string).split(':') as [string, string];
        return { reference, ordinal: Number(ordinal), score };
      });
  }

  /** @returns the terms of a question that some passage has; of one that is as long as a text the rarest, which say most, each once */
  async #termsFor(query: string): Promise<readonly string[]> {
    const terms: string[] = [];
    const spreads = new Map<string, number>();
    for (const slice of termsInSlices(query)) {
      for (const term of slice) {
        const spread = spreads.get(term) ?? this.#search.spreadOf(term);
        if (spread === 0) continue;
        spreads.set(term, spread);
        terms.push(term);
      }
      await turn();
    }
    const spreadOf = (term: string) => spreads.get(term) as number;
    if (terms.reduce((sum, term) => sum + spreadOf(term), 0) <= MAX_OCCURRENCES) return terms;
    const rarest = [...spreads.keys()].sort((a, b) => spreadOf(a) - spreadOf(b));
    const kept: string[] = [];
    let sum = 0;
    for (const term of rarest) {
      sum += spreadOf(term);
      if (sum > MAX_OCCURRENCES && kept.length > 0) break;
      kept.push(term);
    }
    return kept;
  }
}
