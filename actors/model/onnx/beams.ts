// Beam search: writes several hypotheses side by side, and keeps those whose tokens together are the most probable (Graves 2012; Wu et al. 2016, section 7).
import { notNumbers } from './floats.ts';
import { applyRules } from './rules.ts';
import type { Search, SearchOptions } from './search.ts';

export interface BeamSettings {
  /** Hypotheses that are written side by side. */
  readonly count: number;
  /** Sums of logarithms of probabilities are divided by the length to the power of this. */
  readonly lengthPenalty: number;
  /**
   * When to end: `true` as soon as so many have ended; `false` when no open one would be better if it ended now; `never` when none could ever become better.
   * As `early_stopping` of the files says it.
   */
  readonly earlyStopping: boolean | 'never';
}

interface Hypothesis {
  readonly tokens: readonly number[];
  /** Sum of the logarithms of the probabilities of its tokens. */
  readonly sum: number;
}

interface Ended {
  readonly tokens: readonly number[];
  /** By its length. */
  readonly score: number;
}

interface Candidate {
  readonly from: number;
  readonly token: number;
  readonly sum: number;
}

export class Beams implements Search {
  isDone = false;
  isCut = false;
  readonly #settings: BeamSettings;
  readonly #options: SearchOptions;
  #open: readonly Hypothesis[] = [{ tokens: [], sum: 0 }];
  /** The best first. */
  #ended: Ended[] = [];
  #length = 0;

  constructor(settings: BeamSettings, options: SearchOptions) {
    this.#settings = settings;
    this.#options = options;
  }

  get last(): readonly number[] {
    return this.#open.map(({ tokens }) => tokens.at(-1) ?? this.#options.start);
  }

  /** While it is open: what all hypotheses have in common. */
  get written(): readonly number[] {
    if (this.isDone) return this.#ended[0]?.tokens ?? [];
    const [first = [], ...others] = [...this.#open, ...this.#ended].map(({ tokens }) => tokens);
    const end = first.findIndex((token, at) => others.some((tokens) => tokens[at] !== token));
    return end < 0 ? first : first.slice(0, end);
  }

  advance(scores: readonly Float32Array[]): readonly number[] {
    const { rules, maxTokens } = this.#options;
    const { count } = this.#settings;
    // Where each could end, as many remain that do not.
    const candidates = this.#candidates(scores, count * (1 + rules.ends.size));
    this.#length += 1;
    const next: Candidate[] = [];
    for (const [rank, candidate] of candidates.entries()) {
      if (next.length === count) break;
      if (!rules.ends.has(candidate.token)) next.push(candidate);
      // An end that is less probable than enough others is none.
      else if (rank < count) this.#end(this.#tokensOf(candidate), candidate.sum);
    }
    this.#open = next.map((candidate) => ({ tokens: this.#tokensOf(candidate), sum: candidate.sum }));
    this.isDone = next.length === 0 || this.#isDecided(candidates[0]?.sum ?? 0);
    if (!this.isDone && this.#length >= maxTokens) this.#cut();
    return next.map(({ from }) => from);
  }

  #tokensOf({ from, token }: Candidate): readonly number[] {
    return [...(this.#open[from] as Hypothesis).tokens, token];
  }

  /** At the limit: what has ended is the answer; without it, the best that has not. */
  #cut(): void {
    this.isDone = true;
    this.isCut = this.#ended.length === 0;
    if (this.isCut) for (const { tokens, sum } of this.#open) this.#end(tokens, sum);
  }

  #end(tokens: readonly number[], sum: number): void {
    this.#ended.push({ tokens, score: this.#scoreOf(sum, this.#length) });
    this.#ended.sort((a, b) => b.score - a.score);
    this.#ended.length = Math.min(this.#ended.length, this.#settings.count);
  }

  #scoreOf(sum: number, length: number): number {
    return sum / length ** this.#settings.lengthPenalty;
  }

  /** @param best sum of the best candidate, ended or not */
  #isDecided(best: number): boolean {
    const { count, earlyStopping, lengthPenalty } = this.#settings;
    if (this.#ended.length < count) return false;
    if (earlyStopping === true) return true;
    const worst = (this.#ended.at(-1) as Ended).score;
    // Sums only fall; a longer one is divided by more.
    const length = earlyStopping === 'never' && lengthPenalty > 0 ? this.#options.maxTokens : this.#length;
    return worst >= this.#scoreOf(best, length);
  }

  #candidates(scores: readonly Float32Array[], most: number): Candidate[] {
    const { rules } = this.#options;
    const found: Candidate[] = [];
    for (const [from, { tokens, sum }] of this.#open.entries()) {
      if (this.#length === 0 && rules.first !== undefined) {
        found.push({ from, token: rules.first, sum });
        continue;
      }
      const own = scores[from] as Float32Array;
      const total = logarithmOfSum(own);
      if (Number.isNaN(total)) throw notNumbers();
      applyRules(own, tokens, rules, total);
      for (const token of largest(own, most)) found.push({ from, token, sum: sum + (own[token] as number) - total });
    }
    return found.sort((a, b) => b.sum - a.sum).slice(0, most);
  }
}

/** @returns the logarithm of the sum of their exponentials: scores less this are logarithms of probabilities */
function logarithmOfSum(scores: Float32Array): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let id = 0; id < scores.length; id++) if ((scores[id] as number) > most) most = scores[id] as number;
  let sum = 0;
  for (let id = 0; id < scores.length; id++) sum += Math.exp((scores[id] as number) - most);
  return most + Math.log(sum);
}

/** @returns the tokens with the highest scores, the highest first; none that is forbidden */
function largest(scores: Float32Array, most: number): number[] {
  const kept: number[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (let id = 0; id < scores.length; id++) {
    const score = scores[id] as number;
    if (!(score > least)) continue;
    let at = kept.length;
    while (at > 0 && (scores[kept[at - 1] as number] as number) < score) at -= 1;
    kept.splice(at, 0, id);
    if (kept.length > most) kept.pop();
    if (kept.length === most) least = scores[kept[most - 1] as number] as number;
  }
  return kept;
}
