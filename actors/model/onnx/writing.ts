// One batch while it is written: rows that have ended are taken out of it, and what its steps have computed goes from one to the next.
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { Fault } from '../../../kernel/fault.ts';
import { emptyCaches, keepRows, nextCaches, pick, readOutputs } from './caches.ts';
import { type Decoding, nextToken } from './decoding.ts';
import type { Row } from './rows.ts';
import type { Runtime } from './session.ts';

export interface Sessions {
  readonly runtime: Runtime;
  readonly encoder: InferenceSession;
  readonly decoder: InferenceSession;
  readonly decoding: Decoding;
}

/** Rows are taken out when so many of them have ended: that copies what the others have computed. */
const MIN_ENDED_SHARE = 0.25;

export class Writing {
  readonly #sessions: Sessions;
  #rows: readonly Row[];
  #fixed: Readonly<Record<string, Tensor>> = {};
  #caches: Record<string, Tensor> = {};
  #step = 0;

  constructor(sessions: Sessions, rows: readonly Row[]) {
    this.#sessions = sessions;
    this.#rows = rows;
  }

  /** Those that have not ended. */
  get open(): readonly Row[] {
    return this.#rows.filter(({ isDone }) => !isDone);
  }

  /** Tokens of each row so far. */
  get steps(): number {
    return this.#step;
  }

  /** Reads the inputs. */
  async begin(): Promise<void> {
    const { runtime, encoder, decoder } = this.#sessions;
    const source = this.#source();
    const { last_hidden_state: memory } = await encoder.run(pick(source, encoder.inputNames));
    this.#fixed = { encoder_attention_mask: source.attention_mask, encoder_hidden_states: memory as Tensor };
    this.#caches = emptyCaches(decoder, runtime, this.#rows.length);
  }

  /** Writes one token to each row that has not ended. */
  async step(): Promise<void> {
    const { runtime, decoder, decoding } = this.#sessions;
    this.#takeOut();
    const step = this.#step;
    const now = this.#rows.map(({ isDone, written }) => BigInt(step === 0 ? decoding.start : isDone ? decoding.padding : (written[step - 1] as number)));
    const ids = new runtime.Tensor('int64', BigInt64Array.from(now), [now.length, 1]);
    const useCache = new runtime.Tensor('bool', Uint8Array.of(step === 0 ? 0 : 1), [1]);
    const inputs = pick({ ...this.#fixed, ...this.#caches, input_ids: ids, use_cache_branch: useCache }, decoder.inputNames);
    const outputs = await decoder.run(inputs, readOutputs(decoder.outputNames, step));
    this.#caches = nextCaches(this.#caches, outputs, step);
    this.#step += 1;
    this.#advance(outputs['logits'] as Tensor);
  }

  #takeOut(): void {
    const open = this.#rows.flatMap(({ isDone }, index) => (isDone ? [] : [index]));
    if (this.#step === 0 || this.#rows.length - open.length < MIN_ENDED_SHARE * this.#rows.length) return;
    this.#rows = this.open;
    this.#fixed = keepRows(this.#fixed, open, this.#sessions.runtime);
    this.#caches = keepRows(this.#caches, open, this.#sessions.runtime);
  }

  #advance({ data, dims }: Tensor): void {
    const { decoding } = this.#sessions;
    const words = dims.at(-1) as number;
    for (const [index, row] of this.#rows.entries()) {
      if (row.isDone) continue;
      if (row.signal?.aborted) {
        row.isDone = true;
        row.reject(new Fault('CANCELLED'));
        continue;
      }
      if (row.written.length >= this.#step) continue;
      const scores = (data as Float32Array).subarray(index * words, (index + 1) * words);
      // A short text must not be stretched to the length that the model was trained for.
      const token = nextToken(scores, row.written, decoding, Math.min(decoding.minTokens, row.ids.length >> 1));
      row.written.push(token);
      const hasEnded = decoding.ends.has(token);
      row.isCut = !hasEnded && row.written.length >= row.maxTokens;
      row.isDone = hasEnded || row.isCut;
      row.onToken?.();
      // Its client need not wait for the others.
      if (row.isDone) row.resolve();
    }
  }

  #source(): { readonly input_ids: Tensor; readonly attention_mask: Tensor } {
    const rows = this.#rows;
    const { runtime, decoding } = this.#sessions;
    const width = Math.max(...rows.map(({ ids }) => ids.length));
    const [ids, mask] = [new BigInt64Array(rows.length * width).fill(BigInt(decoding.padding)), new BigInt64Array(rows.length * width)];
    for (const [index, row] of rows.entries())
      for (const [place, id] of row.ids.entries()) {
        ids[index * width + place] = BigInt(id);
        mask[index * width + place] = 1n;
      }
    const tensor = (data: BigInt64Array) => new runtime.Tensor('int64', data, [rows.length, width]);
    return { input_ids: tensor(ids), attention_mask: tensor(mask) };
  }
}
