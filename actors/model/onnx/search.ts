// How one row chooses what it writes: the interface of searches, and the plain one that always takes the most probable token.
import { notNumbers } from './floats.ts';
import { applyRules, type Rules } from './rules.ts';

export interface SearchOptions {
  /** The token that the first step gets. */
  readonly start: number;
  readonly rules: Rules;
  readonly maxTokens: number;
}

/** A row of a batch may write several hypotheses side by side; each has a place in the batch. */
export interface Search {
  /** The last token of each hypothesis: what the next step gets. */
  readonly last: readonly number[];
  /** Tokens that stay, whatever comes; in the end all of them, with the one that ends. */
  readonly written: readonly number[];
  readonly isDone: boolean;
  /** Whether it was stopped by the limit of tokens. */
  readonly isCut: boolean;
  /** @param scores of all tokens, for each hypothesis; changed @returns for each hypothesis from now on the one that it goes on @throws Fault MODEL_FAILED for scores that are no numbers */
  advance(scores: readonly Float32Array[]): readonly number[];
}

const ONLY = [0] as const;

/** The most probable token that the rules allow: the same text has the same answer. */
export class Greedy implements Search {
  readonly written: number[] = [];
  isDone = false;
  isCut = false;
  readonly #options: SearchOptions;

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  get last(): readonly number[] {
    return [this.written.at(-1) ?? this.#options.start];
  }

  advance([scores]: readonly Float32Array[]): readonly number[] {
    const { rules, maxTokens } = this.#options;
    const token = this.written.length === 0 && rules.first !== undefined ? rules.first : this.#best(scores as Float32Array);
    this.written.push(token);
    const hasEnded = rules.ends.has(token);
    this.isCut = !hasEnded && this.written.length >= maxTokens;
    this.isDone = hasEnded || this.isCut;
    return ONLY;
  }

  #best(scores: Float32Array): number {
    applyRules(scores, this.written, this.#options.rules);
    let best = 0;
    let most = Number.NEGATIVE_INFINITY;
    for (let id = 0; id < scores.length; id++) {
      const score = scores[id] as number;
      if (score > most) {
        most = score;
        best = id;
      } else if (Number.isNaN(score)) throw notNumbers();
    }
    return best;
  }
}
