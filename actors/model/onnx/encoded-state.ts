// The state of a model of an encoder and a decoder: what the encoder says of each input, and the caches of the decoder.
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { emptyCaches, joinPlaces, keepPlaces, nextCaches, pick, scoresIn } from './caches.ts';
import { type Runtime, run } from './session.ts';
import type { State } from './state.ts';

export interface EncodedSessions {
  readonly runtime: Runtime;
  readonly encoder: InferenceSession;
  readonly decoder: InferenceSession;
  readonly padding: number;
}

const isOfEncoder = (name: string) => name.includes('.encoder.');

export class EncodedState implements State {
  readonly #sessions: EncodedSessions;
  readonly #inputs: readonly (readonly number[])[];
  /** What was read. */
  #fixed: Readonly<Record<string, Tensor>> = {};
  /** Made by the first step, and the same in all others. */
  #read: Readonly<Record<string, Tensor>> = {};
  #caches: Readonly<Record<string, Tensor>> = {};
  #steps = 0;

  constructor(sessions: EncodedSessions, inputs: readonly (readonly number[])[]) {
    this.#sessions = sessions;
    this.#inputs = inputs;
  }

  get steps(): number {
    return this.#steps;
  }

  async begin(): Promise<void> {
    const { runtime, encoder, decoder } = this.#sessions;
    const source = this.#source();
    const { last_hidden_state: memory } = await run(encoder, pick(source, encoder.inputNames));
    this.#fixed = { encoder_attention_mask: source.attention_mask, encoder_hidden_states: memory as Tensor };
    const caches = Object.entries(emptyCaches(decoder, runtime, this.#inputs.length));
    this.#read = Object.fromEntries(caches.filter(([name]) => isOfEncoder(name)));
    this.#caches = Object.fromEntries(caches.filter(([name]) => !isOfEncoder(name)));
  }

  async step(tokens: readonly number[]): Promise<readonly Float32Array[]> {
    const { runtime, decoder } = this.#sessions;
    const isFirst = this.#steps === 0;
    const ids = new runtime.Tensor('int64', BigInt64Array.from(tokens, BigInt), [tokens.length, 1]);
    const useCache = new runtime.Tensor('bool', Uint8Array.of(isFirst ? 0 : 1), [1]);
    const inputs = pick({ ...this.#fixed, ...this.#read, ...this.#caches, input_ids: ids, use_cache_branch: useCache }, decoder.inputNames);
    // Copies of what later steps do not make anew would be made for nothing.
    const outputs = await run(decoder, inputs, isFirst ? decoder.outputNames : decoder.outputNames.filter((name) => !isOfEncoder(name)));
    if (isFirst) this.#read = nextCaches(this.#read, outputs);
    this.#caches = nextCaches(this.#caches, outputs);
    this.#steps += 1;
    return scoresIn(outputs);
  }

  keep(places: readonly number[], isWithinRows: boolean): void {
    const { runtime } = this.#sessions;
    this.#caches = keepPlaces(this.#caches, places, runtime);
    if (isWithinRows) return;
    this.#fixed = keepPlaces(this.#fixed, places, runtime);
    this.#read = keepPlaces(this.#read, places, runtime);
  }

  /** Positions of tokens are counted for the whole batch. */
  canTake(other: State): boolean {
    return other instanceof EncodedState && other.steps === this.#steps;
  }

  take(other: EncodedState): void {
    const { runtime } = this.#sessions;
    this.#fixed = joinPlaces(this.#fixed, other.#fixed, { axis: 1, at: 'end' }, runtime);
    this.#read = joinPlaces(this.#read, other.#read, { axis: 2, at: 'end' }, runtime);
    this.#caches = joinPlaces(this.#caches, other.#caches, { axis: 2, at: 'end' }, runtime);
  }

  #source(): { readonly input_ids: Tensor; readonly attention_mask: Tensor } {
    const { runtime, padding } = this.#sessions;
    const width = Math.max(...this.#inputs.map(({ length }) => length));
    const size = this.#inputs.length * width;
    const [ids, mask] = [new BigInt64Array(size).fill(BigInt(padding)), new BigInt64Array(size)];
    for (const [index, input] of this.#inputs.entries())
      for (const [place, id] of input.entries()) {
        ids[index * width + place] = BigInt(id);
        mask[index * width + place] = 1n;
      }
    const tensor = (data: BigInt64Array) => new runtime.Tensor('int64', data, [this.#inputs.length, width]);
    return { input_ids: tensor(ids), attention_mask: tensor(mask) };
  }
}
