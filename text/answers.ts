// Answers a question without a model: the sentences of the given texts that have most of its words, and the kind of thing that it asks for.
import { endsSentence, sentencesOf } from './sentences.ts';
import { fold, termsOf } from './words.ts';

const MAX_ANSWERS = 3;
/** An answer must have this share of what the best one has. */
const MIN_SHARE = 0.6;
/** What a sentence counts more if it has the kind of thing that the question asks for. */
const KIND = 0.25;
/** What the sentences of the first text count more than those of the last: texts that come from a search are in its order. */
const ORDER = 0.2;

/** Of a list: it stands over nothing. */
const ITEM = /^[-*•‣▪▸●◦○■□–]/u;

/** By the first word of the question that says so: what an answer then has. */
const KINDS: readonly (readonly [question: RegExp, answer: RegExp])[] = [
  [
    /\b(when|what year|what date|quand|en quelle annee)\b/,
    /\b\d{3,4}\b|\b(january|february|march|april|june|july|august|september|october|november|december)\b/i,
  ],
  [/\b(how many|how much|how old|how long|how far|combien)\b/, /\d|\b(two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million)\b/i],
  [/\b(who|whom|whose|qui)\b/, /(?<!^)\b\p{Lu}\p{Ll}+/u],
  [/\b(where|ou)\b/, /\b(in|at|near|on|from|to|dans|a|pres)\s+(the\s+|la\s+|le\s+)?\p{Lu}/u],
];

interface Candidate {
  readonly text: string;
  readonly terms: ReadonlySet<string>;
  /** Of the text that it is in, from 0. */
  readonly source: number;
  /** The sentence behind it in that text. */
  readonly next: string | undefined;
}

/** @param texts the most relevant first @returns at most three sentences, the best first; none if no sentence has a word of the question */
export function answersTo(query: string, texts: readonly string[]): string[] {
  const wanted = new Set(termsOf(query));
  const candidates = texts.flatMap((text, source) =>
    sentencesOf(text).map((one, at, all) => ({ text: one, terms: new Set(termsOf(one)), source, next: all[at + 1] })),
  );
  const weights = raritiesOf(wanted, candidates);
  const kind = KINDS.find(([question]) => question.test(fold(query)))?.[1];
  const scored = candidates
    .map((candidate) => ({ candidate, score: scoreOf(candidate, weights, kind, texts.length) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const enough = (scored[0]?.score ?? 0) * MIN_SHARE;
  return shown(
    scored.filter(({ score }) => score >= enough).map(({ candidate }) => candidate),
    wanted,
  );
}

/** A heading that only repeats words of the question answers nothing: it is shown with what it stands over. */
function shown(best: readonly Candidate[], wanted: ReadonlySet<string>): string[] {
  const answers: string[] = [];
  const told = new Set<string>();
  for (const { text, terms, next } of best) {
    if (answers.length === MAX_ANSWERS) break;
    const isEcho = next !== undefined && !endsSentence(text) && !ITEM.test(text) && [...terms].every((term) => wanted.has(term));
    if (told.has(text) || (isEcho && told.has(next))) continue;
    answers.push(isEcho ? `${text}\n${next}` : text);
    told.add(text);
    if (isEcho) told.add(next);
  }
  return answers;
}

/** A word of the question that few sentences have says more than one that many have. A question may be as long as a text: only what a sentence has is looked up. */
function raritiesOf(wanted: ReadonlySet<string>, candidates: readonly Candidate[]): Map<string, number> {
  const counts = new Map([...wanted].map((term) => [term, 0]));
  for (const { terms } of candidates)
    for (const term of terms) {
      const having = counts.get(term);
      if (having !== undefined) counts.set(term, having + 1);
    }
  return new Map([...counts].map(([term, having]) => [term, Math.log(1 + (candidates.length + 1) / (having + 1))]));
}

function scoreOf({ text, terms, source }: Candidate, weights: ReadonlyMap<string, number>, kind: RegExp | undefined, sources: number): number {
  let sum = 0;
  for (const term of terms) sum += weights.get(term) ?? 0;
  const isOfKind = kind?.test(text) ?? false;
  // A very long sentence has many words by chance.
  return ((sum * (isOfKind ? 1 + KIND : 1)) / (1 + Math.max(0, terms.size - 30) / 60)) * (1 + ORDER * (1 - source / sources));
}
