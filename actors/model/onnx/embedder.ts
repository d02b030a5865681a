// An embedding model of sentence-transformers as ONNX: turns a text into vectors of length 1, one for each window of it.
import { join } from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { Fault } from '../../../kernel/fault.ts';
import type { Purpose } from '../api.ts';
import { Batches, type Row } from './batches.ts';
import { floatsIn } from './floats.ts';
import { openSession, type Runtime } from './session.ts';
import { openTokenizer, readJson, type Tokenizer } from './tokenizer.ts';

/** Of models that say nothing. */
const DEFAULT_TOKENS = 512;
/** Attention takes time with the square of the length. */
const MAX_TOKENS = 8_192;
/** Inputs that a model may have; those that it has not are left out. */
const INPUTS = ['input_ids', 'attention_mask', 'token_type_ids'];

type Pooling = 'mean' | 'cls' | 'max';

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

  private constructor(parts: { tokenizer: Tokenizer; runtime: Runtime; session: InferenceSession; settings: Settings; threads: number }) {
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
      await settingsIn(folder),
      await openSession(join(folder, weights), threads),
    ];
    const unknown = session.inputNames.filter((name) => !INPUTS.includes(name));
    if (unknown.length > 0)
      throw new Fault('MODEL_FAILED', { detail: `${weights}: unknown inputs ${unknown.join(', ')}; an embedding model has ${INPUTS.join(', ')}` });
    return new Embedder({ tokenizer, runtime, session, settings, threads });
  }

  /** @returns for each text the vectors of its windows */
  async embed(texts: readonly string[], purpose: Purpose, signal: AbortSignal | undefined): Promise<Float32Array[][]> {
    const windows = texts.map((text) => this.tokenizer.windows(this.#prompts[purpose] + text, this.#maxTokens));
    const vectors = await this.#batches.add(windows.flat(), signal);
    let at = 0;
    return windows.map(({ length }) => {
      at += length;
      return vectors.slice(at - length, at);
    });
  }

  async #run(rows: readonly Row[]): Promise<Float32Array[]> {
    const width = Math.max(...rows.map(({ ids }) => ids.length));
    const [ids, mask] = [new BigInt64Array(rows.length * width), new BigInt64Array(rows.length * width)];
    for (const [index, row] of rows.entries())
      for (const [place, id] of row.ids.entries()) {
        ids[index * width + place] = BigInt(id);
        mask[index * width + place] = 1n;
      }
    const data: Readonly<Record<string, BigInt64Array>> = { input_ids: ids, attention_mask: mask, token_type_ids: new BigInt64Array(ids.length) };
    const tensor = (name: string) => new this.#runtime.Tensor('int64', data[name] as BigInt64Array, [rows.length, width]);
    const outputs = await this.#session.run(Object.fromEntries(this.#session.inputNames.map((name) => [name, tensor(name)])));
    const output = (outputs['last_hidden_state'] ?? outputs['token_embeddings'] ?? outputs[this.#session.outputNames[0] as string]) as Tensor;
    const [values, { dims }] = [floatsIn(output), output];
    return rows.map(({ ids: { length } }, index) => normalised(pooled({ values, dims }, index, length, this.#pooling)));
  }
}

interface Settings {
  readonly pooling: Pooling;
  readonly maxTokens: number;
  readonly prompts: Readonly<Record<Purpose, string>>;
}

/** As the files of sentence-transformers say. */
async function settingsIn(folder: string): Promise<Settings> {
  const [pooling, sentence, tokens, model] = [
    await readJson(folder, '1_Pooling/config.json'),
    await readJson(folder, 'sentence_bert_config.json'),
    await readJson(folder, 'tokenizer_config.json'),
    await readJson(folder, 'config.json'),
  ];
  const { prompts } = (await readJson(folder, 'config_sentence_transformers.json')) as { prompts?: Record<string, string> };
  const modes = Object.entries(pooling).flatMap(([key, value]) => (value === true && key.startsWith('pooling_mode_') ? [key] : []));
  const limits = [sentence['max_seq_length'], tokens['model_max_length'], model['max_position_embeddings'], MAX_TOKENS].filter(
    (each) => typeof each === 'number',
  );
  return {
    pooling: poolingOf(modes),
    // A tokenizer without a limit says 1e30.
    maxTokens: limits.length === 1 ? DEFAULT_TOKENS : Math.min(...limits),
    prompts: { query: prompts?.['query'] ?? '', passage: prompts?.['passage'] ?? prompts?.['document'] ?? '' },
  };
}

function poolingOf(modes: readonly string[]): Pooling {
  if (modes.length === 0) return 'mean';
  const known: Readonly<Record<string, Pooling>> = { pooling_mode_mean_tokens: 'mean', pooling_mode_cls_token: 'cls', pooling_mode_max_tokens: 'max' };
  const pooling = known[modes[0] as string];
  if (pooling && modes.length === 1) return pooling;
  throw new Fault('MODEL_FAILED', { detail: `1_Pooling/config.json: ${modes.join(', ')} is not supported; mean, cls and max are` });
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
  for (let token = 1; token < length; token += 1)
    for (let at = 0; at < size; at += 1) {
      const value = values[first + token * size + at] as number;
      vector[at] = pooling === 'max' ? Math.max(vector[at] as number, value) : (vector[at] as number) + value;
    }
  // The sum has the direction of the mean.
  return vector;
}

function normalised(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const scale = sum > 0 ? 1 / Math.sqrt(sum) : 0;
  return vector.map((value) => value * scale);
}
