// The interface of the library actor: documentary bases, the references in them, and the search for passages.
import type { DocumentKind } from '../text/api.ts';
import type { LibraryQuotas } from './quota.ts';

/** One document, as it is to be stored. */
export interface NewReference {
  readonly base: string;
  readonly name: string;
  readonly kind: DocumentKind;
  readonly title: string;
  /** SHA-256 of the file, in hex. */
  readonly sha256: string;
  readonly passages: readonly StoredPassage[];
}

export interface StoredPassage {
  readonly text: string;
  readonly chapter?: string;
  /** From 1, for documents that have pages. */
  readonly page?: number;
}

/** Who changes a base, for the audit log. */
export interface Librarian {
  readonly realm: string;
  readonly user: string;
  readonly scheme: string;
  readonly source: string;
}

/** A passage that a search has found. */
export interface Hit extends StoredPassage {
  readonly reference: string;
  /** Higher is better; comparable within one search only. */
  readonly score: number;
}

export interface LibraryArgs {
  /** Bases of the configuration: they are there although nothing has been added. */
  readonly bases: readonly string[];
  /** ID of the model that makes vectors of passages and questions; without one they are found by words only. */
  readonly embedder: string | undefined;
  readonly quotas: LibraryQuotas;
  /** That the words of all bases may take which were searched: beyond it, those that were searched longest ago are read anew at their next search. */
  readonly indexBytes: number;
}

/** By words (BM25), by vectors, or by both fused. */
export type Ranking = 'words' | 'vectors' | 'fused';

/** What a search returns. */
export interface SearchOptions {
  /** Passages at most. */
  readonly count: number;
  /** Without an embedder there are words only. */
  readonly ranking: Ranking;
}

/** How far the vectors of all bases are. */
export interface EmbeddingStatus {
  readonly references: number;
  /** References without vectors of the current embedder: they are found by their words until they have them. */
  readonly waiting: number;
  /** Why that does not go on. */
  readonly problem?: string;
}

export type LibraryApi = {
  /** @returns the names of the references of each base, in order */
  list(): Promise<ReadonlyMap<string, readonly string[]>>;
  /** To be asked before a file is read. @param creates as for `add` @returns false if there is no such base @throws Fault AI_QUOTA_EXCEEDED */
  mayAdd(base: string, name: string, creates: boolean): Promise<boolean>;
  /**
   * Replaces a reference of the same name, all or nothing.
   * @param creates makes the base if there is none
   * @returns false if there is no such base
   * @throws Fault AI_QUOTA_EXCEEDED
   */
  add(reference: NewReference, creates: boolean, by: Librarian): Promise<boolean>;
  /** @returns false if there is no such base or reference */
  remove(base: string, name: string, by: Librarian): Promise<boolean>;
  /**
   * @param caller who asks, whose requests take turns with those of others
   * @returns the best first; undefined if there is no such base
   * @throws Fault AI_BASE_TOO_LARGE; and of the model actor, if the embedder cannot be used
   */
  search(base: string, query: string, options: SearchOptions, caller: string): Promise<readonly Hit[] | undefined>;
  /** @returns undefined without an embedder */
  embedding(): Promise<EmbeddingStatus | undefined>;
};
