// How a text is put to a generating model: what it reads, token for token, and in how many parts.
import type { Decoding, Task } from './decoding.ts';
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

/** Models made for one task read the text alone. */
export function plainPhrasing(tokenizer: Tokenizer, { window }: Decoding): Phrasing {
  return {
    room: window - tokenizer.overhead,
    tasks: (input, { maxTokens }) => tokenizer.windows(input, window).map((ids) => ({ ids, maxTokens, first: undefined })),
  };
}
