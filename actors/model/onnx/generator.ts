// A model of an encoder and a decoder as ONNX (Marian, BART, T5): writes texts in batches. A row that has ended, or whose client has left, stops writing.
import { join } from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { Fault } from '../../../kernel/fault.ts';
import { emptyCaches, nextCaches, pick } from './caches.ts';
import { type Decoding, decodingIn, nextToken } from './decoding.ts';
import { type Row, takeBatch } from './rows.ts';
import { openSession, type Runtime } from './session.ts';
import { openTokenizer, type Tokenizer } from './tokenizer.ts';

interface GeneratorOptions {
  readonly folder: string;
  /** Paths of the encoder and the decoder in the folder. */
  readonly weights: readonly string[];
  readonly threads: number;
}

/** Gets each piece of the text of an input when it is there. */
type OnText = (input: number, piece: string) => void;

export interface Written {
  readonly text: string;
  /** Whether it was stopped by the limit of tokens. */
  readonly isCut: boolean;
}

export class Generator {
  readonly tokenizer: Tokenizer;
  readonly #runtime: Runtime;
  readonly #encoder: InferenceSession;
  readonly #decoder: InferenceSession;
  readonly #decoding: Decoding;
  readonly #waiting: Row[] = [];
  #isRunning = false;

  private constructor(parts: { tokenizer: Tokenizer; runtime: Runtime; encoder: InferenceSession; decoder: InferenceSession; decoding: Decoding }) {
    this.tokenizer = parts.tokenizer;
    this.#runtime = parts.runtime;
    this.#encoder = parts.encoder;
    this.#decoder = parts.decoder;
    this.#decoding = parts.decoding;
  }

  /** @throws Fault MODEL_FAILED for a model that this server cannot run */
  static async open({ folder, weights, threads }: GeneratorOptions): Promise<Generator> {
    const [encoder = '', decoder = ''] = weights;
    const [decoding, tokenizer] = [await decodingIn(folder), await openTokenizer(folder)];
    const [{ runtime, session }, second] = [await openSession(join(folder, encoder), threads), await openSession(join(folder, decoder), threads)];
    return new Generator({ tokenizer, runtime, encoder: session, decoder: second.session, decoding });
  }

  /** Tokens of an input, without special ones. */
  get room(): number {
    return this.#decoding.window - this.tokenizer.overhead;
  }

  /** An input that is longer than the model takes is written in parts. @throws Fault CANCELLED */
  async generate(inputs: readonly string[], maxTokens: number, signal: AbortSignal | undefined, onText?: OnText): Promise<Written[]> {
    return Promise.all(
      inputs.map(async (input, index) => {
        if (input.trim() === '') return { text: '', isCut: false };
        const windows = this.tokenizer.windows(input, this.#decoding.window);
        // Parts of one text are written side by side, so only a text of one part can be followed.
        const follow = onText && windows.length === 1 ? this.#teller((piece) => onText(index, piece)) : undefined;
        const written = await Promise.all(windows.map((ids) => this.#add(ids, maxTokens, signal, follow)));
        const texts = written.map((row) => this.#textOf(row));
        return { text: texts.filter((text) => text !== '').join(' '), isCut: written.some(({ isCut }) => isCut) };
      }),
    );
  }

  #textOf({ written }: Row): string {
    return this.tokenizer.decode(written.filter((id) => !this.#decoding.ends.has(id))).trim();
  }

  /** @returns what tells, after each token, the text that is new and will stay */
  #teller(tell: (piece: string) => void): (row: Row) => void {
    let told = '';
    return (row) => {
      const text = this.#textOf(row);
      // The bytes of one character may be several tokens.
      if (!text.startsWith(told) || text.endsWith('\ufffd') || text === told) return;
      tell(text.slice(told.length));
      told = text;
    };
  }

  #add(ids: readonly number[], maxTokens: number, signal: AbortSignal | undefined, onToken?: (row: Row) => void): Promise<Row> {
    return new Promise((resolve, reject) => {
      const limit = Math.min(maxTokens, this.#decoding.maxTokens);
      const row: Row = {
        ids,
        maxTokens: limit,
        signal,
        written: [],
        isDone: false,
        isCut: false,
        onToken: () => onToken?.(row),
        resolve: () => resolve(row),
        reject,
      };
      this.#waiting.push(row);
      void this.#work();
    });
  }

  async #work(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      // A run blocks the thread: requests that have arrived meanwhile join the batch.
      await new Promise(setImmediate);
      const batch = takeBatch(this.#waiting);
      try {
        if (batch.length > 0) await this.#write(batch);
      } catch (error) {
        for (const row of batch) row.reject(error);
      }
    }
    this.#isRunning = false;
  }

  async #write(rows: readonly Row[]): Promise<void> {
    const source = this.#source(rows);
    const { last_hidden_state: memory } = await this.#encoder.run(pick(source, this.#encoder.inputNames));
    const fixed = { encoder_attention_mask: source.attention_mask, encoder_hidden_states: memory as Tensor };
    let caches = emptyCaches(this.#decoder, this.#runtime, rows.length);
    for (let step = 0; rows.some(({ isDone }) => !isDone); step++) {
      const now = rows.map((row) => BigInt(step === 0 ? this.#decoding.start : row.isDone ? this.#decoding.padding : (row.written.at(-1) as number)));
      const ids = new this.#runtime.Tensor('int64', BigInt64Array.from(now), [rows.length, 1]);
      const useCache = new this.#runtime.Tensor('bool', Uint8Array.of(step === 0 ? 0 : 1), [1]);
      const outputs = await this.#decoder.run(pick({ ...fixed, ...caches, input_ids: ids, use_cache_branch: useCache }, this.#decoder.inputNames));
      caches = nextCaches(caches, outputs, step);
      this.#advance(rows, outputs['logits'] as Tensor);
    }
  }

  /** Writes one token to each row that has not ended. */
  #advance(rows: readonly Row[], { data, dims }: Tensor): void {
    const words = dims.at(-1) as number;
    for (const [index, row] of rows.entries()) {
      if (row.isDone) continue;
      if (row.signal?.aborted) {
        row.isDone = true;
        row.reject(new Fault('CANCELLED'));
        continue;
      }
      const scores = (data as Float32Array).subarray(index * words, (index + 1) * words);
      // A short text must not be stretched to the length that the model was trained for.
      const token = nextToken(scores, row.written, this.#decoding, Math.min(this.#decoding.minTokens, row.ids.length >> 1));
      row.written.push(token);
      const hasEnded = this.#decoding.ends.has(token);
      row.isCut = !hasEnded && row.written.length >= row.maxTokens;
      row.isDone = hasEnded || row.isCut;
      row.onToken?.();
      // Its client need not wait for the others.
      if (row.isDone) row.resolve();
    }
  }

  #source(rows: readonly Row[]): { readonly input_ids: Tensor; readonly attention_mask: Tensor } {
    const width = Math.max(...rows.map(({ ids }) => ids.length));
    const [ids, mask] = [new BigInt64Array(rows.length * width).fill(BigInt(this.#decoding.padding)), new BigInt64Array(rows.length * width)];
    for (const [index, row] of rows.entries())
      for (const [place, id] of row.ids.entries()) {
        ids[index * width + place] = BigInt(id);
        mask[index * width + place] = 1n;
      }
    const tensor = (data: BigInt64Array) => new this.#runtime.Tensor('int64', data, [rows.length, width]);
    return { input_ids: tensor(ids), attention_mask: tensor(mask) };
  }
}
