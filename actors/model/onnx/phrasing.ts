// How a text is put to a generating model: what it reads, token for token, and in how many parts.
import type { Decoding, Task } from './decoding.ts';
import type { PrefixOf } from './prefixes.ts';
import type { Tokenizer } from './tokenizer.ts';

/** What all inputs of a request share. */
export interface Request {
  readonly maxTokens: number;
  readonly instruction?: string | undefined;
  /** ISO 639-1. */
  readonly languages?: { readonly from: string; readonly to: string } | undefined;
}

export interface Phrasing {
  /** Tokens of a text that fit with certainty into one part. */
  readonly room: number;
  /** @returns one for each part of the text: one for a text that fits */
  tasks(input: string, request: Request): readonly Task[];
}

/** Of a prefix that depends on the request, in tokens. */
const MAX_PREFIX = 16;

/** Models made for one task read the text alone, those made for several a few words before it. */
export function plainPhrasing(tokenizer: Tokenizer, { window }: Decoding, prefixOf?: PrefixOf): Phrasing {
  return {
    room: window - tokenizer.overhead - (prefixOf ? MAX_PREFIX : 0),
    tasks(input, { maxTokens, languages }) {
      return tokenizer.windows(input, window, { prefix: prefixOf?.(languages) ?? '' }).map((ids) => ({ ids, maxTokens, first: undefined }));
    },
  };
}
