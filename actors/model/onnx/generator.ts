// A model of an encoder and a decoder as ONNX (Marian, BART, T5): writes texts in batches. A row that has ended, or whose client has left, stops writing.
import { join } from 'node:path';
import { decodingIn } from './decoding.ts';
import { type Row, takeBatch } from './rows.ts';
import { openSession } from './session.ts';
import { openTokenizer, type Tokenizer } from './tokenizer.ts';
import { type Sessions, Writing } from './writing.ts';

/** Tokens after which others can no longer join a batch: so many are computed twice at most. */
const MAX_JOIN_STEPS = 16;

/** Rows that are written together; those of one that begins again are others. */
interface Batch {
  rows: readonly Row[];
}

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
  readonly #sessions: Sessions;
  readonly #waiting: Row[] = [];
  #isRunning = false;

  private constructor(tokenizer: Tokenizer, sessions: Sessions) {
    this.tokenizer = tokenizer;
    this.#sessions = sessions;
  }

  /** @throws Fault MODEL_FAILED for a model that this server cannot run */
  static async open({ folder, weights, threads }: GeneratorOptions): Promise<Generator> {
    const [encoder = '', decoder = ''] = weights;
    const [decoding, tokenizer] = [await decodingIn(folder), await openTokenizer(folder)];
    const [{ runtime, session }, second] = [await openSession(join(folder, encoder), threads), await openSession(join(folder, decoder), threads)];
    return new Generator(tokenizer, { runtime, encoder: session, decoder: second.session, decoding });
  }

  /** Tokens of an input, without special ones. */
  get room(): number {
    return this.#sessions.decoding.window - this.tokenizer.overhead;
  }

  /** An input that is longer than the model takes is written in parts. @throws Fault CANCELLED */
  async generate(inputs: readonly string[], maxTokens: number, signal: AbortSignal | undefined, onText?: OnText): Promise<Written[]> {
    return Promise.all(
      inputs.map(async (input, index) => {
        if (input.trim() === '') return { text: '', isCut: false };
        const windows = this.tokenizer.windows(input, this.#sessions.decoding.window);
        // Parts of one text are written side by side, so only a text of one part can be followed.
        const follow = onText && windows.length === 1 ? this.#teller((piece) => onText(index, piece)) : undefined;
        const written = await Promise.all(windows.map((ids) => this.#add(ids, maxTokens, signal, follow)));
        const texts = written.map((row) => this.#textOf(row));
        return { text: texts.filter((text) => text !== '').join(' '), isCut: written.some(({ isCut }) => isCut) };
      }),
    );
  }

  #textOf({ written }: Row): string {
    return this.tokenizer.decode(written.filter((id) => !this.#sessions.decoding.ends.has(id))).trim();
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
      const limit = Math.min(maxTokens, this.#sessions.decoding.maxTokens);
      const row: Row = {
        ids,
        maxTokens: limit,
        signal,
        written: [],
        hasBegunAgain: false,
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
      const batch: Batch = { rows: takeBatch(this.#waiting) };
      try {
        if (batch.rows.length > 0) await this.#write(batch);
      } catch (error) {
        for (const row of batch.rows) row.reject(error);
      }
    }
    this.#isRunning = false;
  }

  async #write(batch: Batch): Promise<void> {
    let writing: Writing | undefined;
    for (let waited = 0; ; ) {
      const joined = writing && this.#joined(writing, waited);
      if (joined) batch.rows = joined;
      if (!writing || joined) {
        writing = new Writing(this.#sessions, batch.rows);
        await writing.begin();
      }
      waited = this.#waiting.length;
      await writing.step();
      if (writing.open.length === 0) return;
    }
  }

  /**
   * Rows that have come just too late join a batch that has only begun: it begins again with them, and writes what it had as it was. That costs it a few
   * steps once, and spares them all of its steps.
   * @param waited rows that waited before the last step: more may be on their way while there are new ones
   */
  #joined(writing: Writing, waited: number): Row[] | undefined {
    const { open, steps } = writing;
    const isDue = this.#waiting.length > 0 && (this.#waiting.length === waited ? steps <= MAX_JOIN_STEPS : steps === MAX_JOIN_STEPS);
    if (!isDue || open.some(({ hasBegunAgain }) => hasBegunAgain)) return undefined;
    const rows = takeBatch(this.#waiting, open);
    if (rows.length === open.length) return undefined;
    for (const row of open) row.hasBegunAgain = true;
    return rows;
  }
}
