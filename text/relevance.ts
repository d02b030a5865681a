// Orders texts by how many words of a question they have.
import { termsOf } from './words.ts';

/** A word that few of the texts have counts more. @returns the texts, the most relevant first; equals keep their order */
export function byRelevance(query: string, texts: readonly string[]): string[] {
  const wanted = [...new Set(termsOf(query))];
  const terms = texts.map((text) => new Set(termsOf(text)));
  const weights = wanted.map((term) => Math.log(1 + texts.length / (1 + terms.filter((own) => own.has(term)).length)));
  const scores = terms.map((own) => wanted.reduce((sum, term, index) => sum + (own.has(term) ? (weights[index] as number) : 0), 0));
  return texts
    .map((text, index) => ({ text, score: scores[index] as number }))
    .sort((a, b) => b.score - a.score)
    .map(({ text }) => text);
}
