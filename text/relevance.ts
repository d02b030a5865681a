// Orders texts by how many words of a question they have.
import { termsOf } from './words.ts';

/** A word that few of the texts have counts more. @returns the texts, the most relevant first; equals keep their order */
export function byRelevance(query: string, texts: readonly string[]): string[] {
  const counts = new Map(termsOf(query).map((term) => [term, 0]));
  // Of each text, only what the question has too.
  const terms = texts.map((text) => [...new Set(termsOf(text))].filter((term) => counts.has(term)));
  for (const term of terms.flat()) counts.set(term, (counts.get(term) as number) + 1);
  const weightOf = (term: string) => Math.log(1 + texts.length / (1 + (counts.get(term) as number)));
  const scores = terms.map((own) => own.reduce((sum, term) => sum + weightOf(term), 0));
  return texts
    .map((text, index) => ({ text, score: scores[index] as number }))
    .sort((a, b) => b.score - a.score)
    .map(({ text }) => text);
}
