// A generating model as ONNX: writes texts in batches. A row that has ended, or whose client has left, stops writing; one that comes late may join.
import { searchOf, type Task } from './decoding.ts';
import { openParts, type Parts, type PartsOptions } from './parts.ts';
import type { Request } from './phrasing.ts';
import { dropLeft, type Row, takeRows } from './rows.ts';
import type { Tokenizer } from './tokenizer.ts';
import { Writing } from './writing.ts';

/** Tokens after which others can no longer join a batch that has to wait until they are as far. */
const MAX_JOIN_STEPS = 16;

/** Gets each piece of the text of an input when it is there. */
type OnText = (input: number, piece: string) => void;

export interface Written {
  readonly text: string;
  /** Whether it was stopped by the limit of tokens. */
  readonly isCut: boolean;
}

export class Generator {
  readonly tokenizer: Tokenizer;
  readonly #parts: Parts;
  readonly #waiting: Row[] = [];
  #isRunning = false;

  private constructor(parts: Parts) {
    this.tokenizer = parts.tokenizer;
    this.#parts = parts;
  }

  /** @throws Fault MODEL_FAILED for a model that this server cannot run */
  static async open(options: PartsOptions): Promise<Generator> {
    return new Generator(await openParts(options));
  }

  /** Tokens of an input, without special ones. */
  get room(): number {
    return this.#parts.phrasing.room;
  }

  /** An input that is longer than the model takes is written in parts. @throws Fault CANCELLED */
  async generate(inputs: readonly string[], request: Request, signal: AbortSignal | undefined, onText?: OnText): Promise<Written[]> {
    // Once one has failed, nobody waits for the others.
    const ended = new AbortController();
    const either = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
    try {
      return await Promise.all(inputs.map((input, index) => this.#writtenFor(input, request, either, onText && ((piece) => onText(index, piece)))));
    } finally {
      ended.abort();
    }
  }

  async #writtenFor(input: string, request: Request, signal: AbortSignal, tell?: (piece: string) => void): Promise<Written> {
    if (input.trim() === '') return { text: '', isCut: false };
    const tasks = this.#parts.phrasing.tasks(input, request);
    // Parts of one text are written side by side, so only a text of one part can be followed.
    const follow = tell && tasks.length === 1 ? this.#teller(tell) : undefined;
    const written = await Promise.all(tasks.map((task) => this.#add(task, signal, follow)));
    const texts = written.map((row) => this.#textOf(row));
    return { text: texts.filter((text) => text !== '').join(' '), isCut: written.some(({ search }) => search.isCut) };
  }

  #textOf({ search: { written } }: Row): string {
    return this.tokenizer.decode(written.filter((id) => !this.#parts.decoding.rules.ends.has(id))).trim();
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

  #add(task: Task, signal: AbortSignal | undefined, onToken?: (row: Row) => void): Promise<Row> {
    return new Promise((resolve, reject) => {
      const fresh = () => searchOf(this.#parts.decoding, task, this.#parts.isCausal);
      const row: Row = {
        ids: task.ids,
        search: fresh(),
        signal,
        hasWaited: false,
        isAlone: false,
        isApart: false,
        hasWritten: false,
        isDone: false,
        onToken: () => onToken?.(row),
        fresh,
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
      await arrivals();
      const rows = takeRows(this.#waiting, [], this.#parts.maxRows);
      try {
        if (rows.length > 0) await this.#write(rows);
      } catch (error) {
        this.#failed(rows, error);
      }
    }
    this.#isRunning = false;
  }

  /**
   * The model may be unable to take one of them, such as one with a word beyond its table, or to go on with what one has written: rows that have begun together
   * begin again alone, and those that have written together each by itself.
   */
  #failed(rows: readonly Row[], error: unknown): void {
    for (const row of rows.filter(({ isDone }) => !isDone)) {
      if (rows.length === 1) row.reject(error);
      else this.#waiting.push(Object.assign(row, { isAlone: true, isApart: row.isAlone || row.hasWritten, hasWritten: false, search: row.fresh() }));
    }
  }

  /** @param rows of the batch; those that join are added */
  async #write(rows: Row[]): Promise<void> {
    const writing = await this.#begin(rows);
    for (let waited = 0; writing.open.length > 0; ) {
      await arrivals();
      dropLeft(this.#waiting);
      for (let late = this.#late(writing, waited); late.length > 0; late = this.#late(writing, waited)) {
        // What is wrong with those that are late does not concern the others.
        const hasJoined = await this.#join(writing, late).catch((error: unknown) => this.#failed(late, error));
        if (hasJoined) rows.push(...late);
        await arrivals();
      }
      waited = this.#waiting.length;
      await writing.step();
    }
  }

  async #begin(rows: readonly Row[]): Promise<Writing> {
    const state = this.#parts.stateOf(rows.map(({ ids }) => ids));
    await state.begin();
    return new Writing(state, rows, this.#parts.decoding.padding);
  }

  /** Nothing is computed twice: the batch waits until those that are late are as far. @returns whether any of them are left then */
  async #join(writing: Writing, late: readonly Row[]): Promise<boolean> {
    const other = await this.#begin(late);
    while (!writing.state.canTake(other.state)) {
      writing.dropLeft();
      await other.step();
      if (other.open.length === 0) return false;
    }
    writing.take(other);
    return true;
  }

  /**
   * @param waited rows that waited before the last step: more may be on their way while there are new ones
   * @returns rows that have come too late for the beginning of the batch, and join it now
   */
  #late({ open, state: { steps } }: Writing, waited: number): Row[] {
    const isQuiet = this.#waiting.length === waited;
    // Before the first step nobody waits; a model that goes on with prompts has each row at a place of its own.
    const isFree = steps === 0 || this.#parts.isCausal;
    const isDue = this.#waiting.length > 0 && (isFree || (isQuiet ? steps <= MAX_JOIN_STEPS : steps === MAX_JOIN_STEPS));
    if (!isDue || (!isFree && open.some(({ hasWaited }) => hasWaited))) return [];
    // Those that nobody may join begin when the batch has ended.
    if ([...open, ...this.#waiting].some(({ isApart }) => isApart)) return [];
    // Prompts are read in the first step.
    if (this.#parts.isCausal && steps === 0 && [...open, ...this.#waiting].some(({ isAlone }) => isAlone)) return [];
    const late = takeRows(this.#waiting, open, this.#parts.maxRows);
    if (late.length > 0 && !isFree) for (const row of [...open, ...late]) row.hasWaited = true;
    return late;
  }
}

/** A run blocks the thread: what has arrived meanwhile is read between two. */
function arrivals(): Promise<void> {
  return new Promise(setImmediate);
}
