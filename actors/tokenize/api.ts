// The interface of the tokenize actor: one request in, the JSON text of its answer out.

export type TokenizeMethod = 'hash' | 'noise' | 'word-mask' | 'word-tokenize' | 'word-pattern-mask' | 'aggregate-number' | 'aggregate-date' | 'scale-number';

export type TokenizeApi = {
  /** @param body of the request, JSON @returns JSON text; a Fault TOKENIZE_REFUSED says what is wrong with the request */
  run(method: TokenizeMethod, body: Uint8Array): string;
};
