// Summarises a text without a model: chooses the sentences that say most of what the whole text is about, in their order.
import { sentencesOf } from './sentences.ts';
import { termsOf } from './words.ts';

/** The length of a summary: a share of the text, within bounds, in words. */
const SHARE = 0.15;
const MIN_WORDS = 40;
const MAX_WORDS = 200;
/** Sentences with fewer terms than this are remarks or headings. */
const MIN_TERMS = 4;
/** What a sentence at the very beginning counts more than one at the end. */
const LEAD = 0.3;

interface Candidate {
  readonly at: number;
  readonly text: string;
  readonly terms: readonly string[];
}

/** @returns the summary; a text that is as short as a summary is returned as it is */
export function summaryOf(text: string): string {
  const sentences = sentencesOf(text);
  const wordsIn = (one: string) => one.split(' ').length;
  const room = Math.min(MAX_WORDS, Math.max(MIN_WORDS, Math.round(sentences.reduce((sum, one) => sum + wordsIn(one), 0) * SHARE)));
  const candidates = sentences.map((one, at) => ({ at, text: one, terms: termsOf(one) }));
  const chosen: Candidate[] = [];
  let words = 0;
  for (const candidate of ranked(candidates)) {
    const length = wordsIn(candidate.text);
    if (words > 0 && words + length > room) continue;
    chosen.push(candidate);
    words += length;
    if (words >= room) break;
  }
  return chosen
    .sort((a, b) => a.at - b.at)
    .map(({ text: one }) => one)
    .join(' ');
}

/** The best first. Terms that a chosen sentence has said count a tenth in the next one, so that a summary does not repeat itself. */
function* ranked(candidates: readonly Candidate[]): Generator<Candidate> {
  const weights = weightsOf(candidates);
  const heap = candidates.map((candidate) => ({ candidate, score: scoreOf(candidate, weights, candidates.length) }));
  heap.sort((a, b) => b.score - a.score);
  while (heap.length > 0) {
    // Weights only fall: the first whose score is still right is the best.
    const best = heap.shift() as (typeof heap)[number];
    const score = scoreOf(best.candidate, weights, candidates.length);
    const next = heap[0];
    if (next && score < next.score) {
      const place = heap.findIndex((each) => each.score <= score);
      heap.splice(place < 0 ? heap.length : place, 0, { ...best, score });
      continue;
    }
    yield best.candidate;
    for (const term of best.candidate.terms) weights.set(term, (weights.get(term) ?? 0) / 10);
  }
}

/** How much a term says of the text: the logarithm of the number of sentences that have it. */
function weightsOf(candidates: readonly Candidate[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { terms } of candidates) for (const term of new Set(terms)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return new Map([...counts].map(([term, count]) => [term, Math.log1p(count)]));
}

function scoreOf({ at, terms }: Candidate, weights: ReadonlyMap<string, number>, sentences: number): number {
  const distinct = new Set(terms);
  let sum = 0;
  for (const term of distinct) sum += weights.get(term) ?? 0;
  const length = Math.max(MIN_TERMS, distinct.size);
  const isRemark = distinct.size < MIN_TERMS;
  return (sum / Math.sqrt(length)) * (1 + LEAD * (1 - at / sentences)) * (isRemark ? 0.2 : 1);
}
