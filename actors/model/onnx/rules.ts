// Which tokens may not come next, or are made less likely, as the files of a model say.

export interface Rules {
  readonly ends: ReadonlySet<number>;
  /** The first token that is written, where it is not chosen. */
  readonly first: number | undefined;
  readonly never: readonly number[];
  /** No sequence of so many tokens is written twice; 0 for no such rule. */
  readonly noRepeat: number;
  /** Before the end is allowed. */
  readonly minTokens: number;
  /** What tokens that were there before are made less likely by (Keskar et al. 2019, section 4.1); 1 for nothing. */
  readonly repetitionPenalty: number;
  /** What counts as there before, beside what is written. */
  readonly read: readonly number[];
}

/**
 * @param scores of all tokens; changed: what is forbidden gets minus infinity
 * @param written so far, without the token that begins every answer
 * @param offset what makes logarithms of probabilities of the scores, for those who compare sums of them; 0 for scores as they are
 */
export function applyRules(scores: Float32Array, written: readonly number[], rules: Rules, offset = 0): void {
  const { never, noRepeat, minTokens, ends, repetitionPenalty } = rules;
  if (repetitionPenalty !== 1)
    for (const id of new Set([...rules.read, ...written])) {
      const score = (scores[id] as number) - offset;
      scores[id] = (score < 0 ? score * repetitionPenalty : score / repetitionPenalty) + offset;
    }
  const forbid = (id: number) => {
    scores[id] = Number.NEGATIVE_INFINITY;
  };
  never.forEach(forbid);
  if (written.length < minTokens) ends.forEach(forbid);
  if (noRepeat > 0) repeating(written, noRepeat).forEach(forbid);
}

/** @returns tokens that would complete a sequence that was written before */
function repeating(written: readonly number[], size: number): number[] {
  const tail = written.slice(written.length - size + 1);
  if (written.length < size) return [];
  const found: number[] = [];
  for (let at = 0; at + size <= written.length; at++) if (tail.every((id, index) => written[at + index] === id)) found.push(written[at + size - 1] as number);
  return found;
}
