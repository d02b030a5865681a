// An embedding model of sentence-transformers as ONNX: turns a text into vectors of length 1, one for each window of it.
import { join } from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { Fault } from '../../../kernel/fault.ts';
import type { Purpose } from '../api.ts';
import { Batches, type Row } from './batches.ts';
import { emptyCaches, pick } from './caches.ts';
import { type EmbeddingSettings, embeddingSettingsIn, type Pooling } from './embedding-settings.ts';
import { floatsIn, notNumbers } from './floats.ts';
import { openSession, type Runtime, run } from './session.ts';
import { eachInSlices } from './steps.ts';
import { noRoom, openTokenizer, type Tokenizer } from './tokenizer.ts';

/** Inputs that a model may have; those that it has not are left out. Models made of one for chats have caches, too, which are empty. */
const INPUTS = ['input_ids', 'attention_mask', 'token_type_ids', 'position_ids'];
const isCache = (name: string) => name.startsWith('past_key_values.');
/** The first that a model has: a vector for each text, or one for each token. */
const OUTPUTS = ['sentence_embedding', 'last_hidden_state', 'token_embeddings'];

interface EmbedderOptions {
  readonly folder: string;
  /** Path of the ONNX file in the folder. */
  readonly weights: string;
  readonly threads: number;
}

export class Embedder {
  readonly tokenizer: Tokenizer;
  readonly #runtime: Runtime;
  readonly #session: InferenceSession;
  readonly #pooling: Pooling;
  readonly #maxTokens: number;
  readonly #prompts: Readonly<Record<Purpose, string>>;
  readonly #batches: Batches;

  private constructor(parts: { tokenizer: Tokenizer; runtime: Runtime; session: InferenceSession; settings: EmbeddingSettings; threads: number }) {
    this.tokenizer = parts.tokenizer;
    this.#runtime = parts.runtime;
    this.#session = parts.session;
    this.#pooling = parts.settings.pooling;
    this.#maxTokens = parts.settings.maxTokens;
    this.#prompts = parts.settings.prompts;
    this.#batches = new Batches((rows) => this.#run(rows), parts.threads);
  }

  /** @throws Fault MODEL_FAILED for a model that this server cannot run */
  static async open({ folder, weights, threads }: EmbedderOptions): Promise<Embedder> {
    const [tokenizer, settings, { runtime, session }] = [
      await openTokenizer(folder),
      await embeddingSettingsIn(folder),
      await openSession(join(folder, weights), threads),
    ];
    const unknown = session.inputNames.filter((name) => !INPUTS.includes(name) && !isCache(name));
    if (unknown.length > 0)
      throw new Fault('MODEL_FAILED', { detail: `${weights}: unknown inputs ${unknown.join(', ')}; an embedding model has ${INPUTS.join(', ')}` });
    if (settings.hasDense && !session.outputNames.includes('sentence_embedding'))
      throw new Fault('MODEL_FAILED', {
        detail: `${weights}: modules.json names a dense layer, which is not in the graph: it has no output sentence_embedding`,
      });
    if (settings.maxTokens <= tokenizer.overhead) throw noRoom(settings.maxTokens);
    return new Embedder({ tokenizer, runtime, session, settings, threads });
  }

  /** @returns for each text the vectors of its windows */
  async embed(texts: readonly string[], purpose: Purpose, signal: AbortSignal | undefined): Promise<Float32Array[][]> {
    const windows = await eachInSlices(
      texts.map((text) => this.tokenizer.windowing(text, this.#maxTokens, { prefix: this.#prompts[purpose] })),
      signal,
    );
    const vectors = await this.#batches.add(windows.flat(), signal);
    let at = 0;
    return windows.map(({ length }) => {
      at += length;
      return vectors.slice(at - length, at);
    });
  }

  async #run(rows: readonly Row[]): Promise<(Float32Array | Fault)[]> {
    const width = Math.max(...rows.map(({ ids }) => ids.length));
    const [ids, mask] = [new BigInt64Array(rows.length * width), new BigInt64Array(rows.length * width)];
    for (const [index, row] of rows.entries())
      for (const [place, id] of row.ids.entries()) {
        ids[index * width + place] = BigInt(id);
        mask[index * width + place] = 1n;
      }
    const positions = BigInt64Array.from(ids, (_, at) => BigInt(at % width));
    const data = { input_ids: ids, attention_mask: mask, token_type_ids: new BigInt64Array(ids.length), position_ids: positions };
    const tensors = Object.entries(data).map(([name, numbers]) => [name, new this.#runtime.Tensor('int64', numbers, [rows.length, width])] as const);
    const given = { ...Object.fromEntries(tensors), ...emptyCaches(this.#session, this.#runtime, rows.length) };
    const { inputNames, outputNames } = this.#session;
    const name = OUTPUTS.find((each) => outputNames.includes(each)) ?? (outputNames[0] as string);
    const output = (await run(this.#session, pick(given, inputNames), [name]))[name] as Tensor;
    const [values, { dims }] = [floatsIn(output), output];
    return rows.map(({ ids: { length } }, index) => normalised(pooled({ values, dims }, index, length, this.#pooling)));
  }
}

interface Output {
  readonly values: Float32Array;
  readonly dims: readonly number[];
}

/** @param length tokens of the row; what is behind them is padding */
function pooled({ values, dims }: Output, row: number, length: number, pooling: Pooling): Float32Array {
  const size = dims.at(-1) as number;
  // The model has done it itself.
  if (dims.length === 2) return values.slice(row * size, (row + 1) * size);
  const first = row * (dims[1] as number) * size;
  const vector = values.slice(first, first + size);
  if (pooling === 'cls') return vector;
  if (pooling === 'last') return values.slice(first + (length - 1) * size, first + length * size);
  for (let token = 1; token < length; token += 1)
    for (let at = 0; at < size; at += 1) {
      const value = values[first + token * size + at] as number;
      vector[at] = pooling === 'max' ? Math.max(vector[at] as number, value) : (vector[at] as number) + value;
    }
  // The sum has the direction of the mean.
  return vector;
}

function normalised(vector: Float32Array): Float32Array | Fault {
  let sum = 0;
  for (const value of vector) sum += value * value;
  // It would be near to everything or to nothing.
  if (!Number.isFinite(sum)) return notNumbers();
  const scale = sum > 0 ? 1 / Math.sqrt(sum) : 0;
  return vector.map((value) => value * scale);
}
