// Summarises a text without a model: chooses the sentences that say most of what the whole text is about, in their order.
import { sentencesOf } from './sentences.ts';
import { lengthInWords, termsOf } from './words.ts';

/** The length of a summary: a share of the text, within bounds, in words. */
const SHARE = 0.15;
const MIN_WORDS = 40;
const MAX_WORDS = 200;
/** Sentences with fewer terms than this are remarks or headings. */
const MIN_TERMS = 4;
/** What a sentence at the very beginning counts more than one at the end. */
const LEAD = 0.3;

/** Sentences that were best and did not fit: after so many of them a summary is long enough. */
const MAX_SKIPPED = 100;

interface Candidate {
  readonly at: number;
  readonly text: string;
  /** Numbers of its terms, each once. */
  readonly terms: readonly number[];
}

/** @returns the summary; a text that is as short as a summary is returned as it is */
export function summaryOf(text: string): string {
  const sentences = sentencesOf(text);
  const room = Math.min(MAX_WORDS, Math.max(MIN_WORDS, Math.round(sentences.reduce((sum, one) => sum + lengthInWords(one), 0) * SHARE)));
  const { candidates, weights } = weighed(sentences);
  const chosen: Candidate[] = [];
  let words = 0;
  let skipped = 0;
  while (words < room && skipped < MAX_SKIPPED) {
    const best = takeBest(candidates, weights);
    if (!best) break;
    const length = lengthInWords(best.text);
    if (words > 0 && words + length > room) skipped += 1;
    else {
      chosen.push(best);
      words += length;
    }
  }
  return chosen
    .sort((a, b) => a.at - b.at)
    .map(({ text: one }) => one)
    .join(' ');
}

/** Terms that it has count a tenth in the next one, so that a summary does not repeat itself. */
function takeBest(candidates: (Candidate | undefined)[], weights: Float64Array): Candidate | undefined {
  let best: Candidate | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const candidate of candidates) {
    const score = candidate ? scoreOf(candidate, weights, candidates.length) : Number.NEGATIVE_INFINITY;
    if (score > most) {
      best = candidate;
      most = score;
    }
  }
  if (!best) return undefined;
  candidates[best.at] = undefined;
  for (const term of best.terms) weights[term] = (weights[term] as number) / 10;
  return best;
}

/** How much a term says of the text: the logarithm of the number of sentences that have it. Numbers instead of terms: each choice looks at all of them. */
function weighed(sentences: readonly string[]): { readonly candidates: Candidate[]; readonly weights: Float64Array } {
  const numbers = new Map<string, number>();
  const counts: number[] = [];
  const candidates = sentences.map((text, at) => {
    const terms = [...new Set(termsOf(text))].map((term) => {
      const number = numbers.get(term) ?? numbers.size;
      numbers.set(term, number);
      counts[number] = (counts[number] ?? 0) + 1;
      return number;
    });
    return { at, text, terms };
  });
  return { candidates, weights: Float64Array.from(counts, Math.log1p) };
}

function scoreOf({ at, terms }: Candidate, weights: Float64Array, sentences: number): number {
  let sum = 0;
  for (const term of terms) sum += weights[term] as number;
  const length = Math.max(MIN_TERMS, terms.length);
  const isRemark = terms.length < MIN_TERMS;
  return (sum / Math.sqrt(length)) * (1 + LEAD * (1 - at / sentences)) * (isRemark ? 0.2 : 1);
}
