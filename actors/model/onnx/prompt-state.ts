// The state of a model that goes on with a text (GPT, Llama, Qwen and their like): the prompts, then the caches of what was read and written.
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { emptyCaches, joinPlaces, keepPlaces, nextCaches, pick, scoresIn } from './caches.ts';
import { type Runtime, run } from './session.ts';
import type { State } from './state.ts';

export interface PromptSessions {
  readonly runtime: Runtime;
  readonly decoder: InferenceSession;
  readonly padding: number;
  /** Words of the model. */
  readonly words: number;
  /** Whether its attention counts the tokens of a mask instead of looking where they are: then each row begins at the first column, and what is behind it is padding. */
  readonly countsMask: boolean;
}

/** Graphs give scores at every token of a prompt, of which only the last are wanted: so many numbers may be made at a time. */
const MAX_SCORES = 33_554_432;
/** Tokens of a prompt that are read in one run: calls are heard between two. */
const MAX_CHUNK = 512;
/** Input of older files, which have a branch for the first step and one for those that have caches. */
const SWITCH = 'use_cache_branch';

export class PromptState implements State {
  readonly #sessions: PromptSessions;
  /** Tokens of each place that are cached: the last ones, or the first ones of a model that counts them; the others are padding. */
  #lengths: readonly number[];
  readonly #prompts: (readonly number[])[];
  #caches: Readonly<Record<string, Tensor>> = {};
  #width = 0;
  #steps = 0;

  constructor(sessions: PromptSessions, prompts: readonly (readonly number[])[]) {
    this.#sessions = sessions;
    this.#prompts = [...prompts];
    this.#lengths = prompts.map(() => 0);
  }

  get steps(): number {
    return this.#steps;
  }

  async begin(): Promise<void> {}

  async step(tokens: readonly number[]): Promise<readonly Float32Array[]> {
    this.#steps += 1;
    return this.#steps === 1 ? this.#read() : this.#run(tokens.map((token) => [token]));
  }

  keep(places: readonly number[], _isWithinRows: boolean): void {
    this.#caches = keepPlaces(this.#caches, places, this.#sessions.runtime);
    this.#lengths = places.map((place) => this.#lengths[place] as number);
  }

  /** Each place has positions of its own: it matters only that both have read their prompts, or neither has. */
  canTake(other: State): boolean {
    return other instanceof PromptState && other.steps > 0 === this.#steps > 0;
  }

  take(other: PromptState): void {
    this.#lengths = [...this.#lengths, ...other.#lengths];
    if (this.#steps === 0) this.#prompts.push(...other.#prompts);
    else {
      const { runtime, countsMask } = this.#sessions;
      this.#caches = joinPlaces(this.#caches, other.#caches, { axis: 2, at: countsMask ? 'end' : 'start' }, runtime);
    }
    this.#width = Math.max(this.#width, other.#width);
  }

  /** Reads the prompts, in columns of several tokens. */
  async #read(): Promise<readonly Float32Array[]> {
    const { runtime, decoder, words, countsMask } = this.#sessions;
    if (countsMask && this.#prompts.length > 1) return this.#readEach();
    const count = this.#prompts.length;
    this.#caches = emptyCaches(decoder, runtime, count);
    const width = Math.max(...this.#prompts.map(({ length }) => length));
    // The branch of later steps of older files takes one token.
    const isWhole = decoder.inputNames.includes(SWITCH);
    const chunk = isWhole ? width : Math.max(1, Math.min(MAX_CHUNK, Math.floor(MAX_SCORES / (count * words))));
    for (let from = 0; ; from += chunk) {
      const end = Math.min(width, from + chunk);
      // They end together: before the shorter ones is padding.
      const scores = await this.#run(
        this.#prompts.map((ids) => ids.slice(Math.max(0, from - width + ids.length), Math.max(0, end - width + ids.length))),
        end - from,
      );
      if (end === width) return scores;
    }
  }

  /** Reads one prompt after the other: they could begin together, but only one of them could be read in several columns. */
  async #readEach(): Promise<readonly Float32Array[]> {
    const all = this.#prompts.map((prompt) => new PromptState(this.#sessions, [prompt]));
    const scores: Float32Array[] = [];
    for (const each of all) scores.push(...(await each.step([])));
    const [first, ...others] = all as [PromptState, ...PromptState[]];
    this.#caches = first.#caches;
    this.#lengths = first.#lengths;
    this.#width = first.#width;
    for (const other of others) this.take(other);
    return scores;
  }

  /** @param columns tokens of each place, at most `width` */
  async #run(columns: readonly (readonly number[])[], width = 1): Promise<readonly Float32Array[]> {
    const { runtime, decoder, padding, countsMask } = this.#sessions;
    const [count, total] = [columns.length, this.#width + width];
    const ids = new BigInt64Array(count * width).fill(BigInt(padding));
    const [positions, mask] = [new BigInt64Array(count * width), new BigInt64Array(count * total)];
    for (const [place, tokens] of columns.entries()) {
      const before = this.#lengths[place] as number;
      for (const [at, token] of tokens.entries()) {
        const column = (place + 1) * width - tokens.length + at;
        ids[column] = BigInt(token);
        positions[column] = BigInt(before + at);
      }
      const cached = before + tokens.length;
      const from = countsMask ? place * total : (place + 1) * total - cached;
      mask.fill(1n, from, from + cached);
    }
    const isFirst = this.#width === 0;
    this.#lengths = this.#lengths.map((length, place) => length + (columns[place] as readonly number[]).length);
    this.#width = total;
    const tensor = (data: BigInt64Array, size: number) => new runtime.Tensor('int64', data, [count, size]);
    const last = new runtime.Tensor('int64', BigInt64Array.of(1n), []);
    const usesCache = new runtime.Tensor('bool', Uint8Array.of(isFirst ? 0 : 1), [1]);
    const read = { input_ids: tensor(ids, width), position_ids: tensor(positions, width), attention_mask: tensor(mask, total) };
    const outputs = await run(decoder, pick({ ...read, num_logits_to_keep: last, [SWITCH]: usesCache, ...this.#caches }, decoder.inputNames));
    this.#caches = nextCaches(this.#caches, outputs);
    return scoresIn(outputs);
  }
}
