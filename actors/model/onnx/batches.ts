// Runs texts through a model in batches: texts of different requests share a batch, texts of like length go together, and requests take turns.
import { Fault } from '../../../kernel/fault.ts';

export interface Row {
  readonly ids: readonly number[];
  /** Its place among the rows of its request. */
  readonly at: number;
}

/** @returns for each row, in their order, a vector, or why it has none */
type Run = (rows: readonly Row[]) => Promise<readonly (Float32Array | Fault)[]>;

interface Taken {
  readonly job: Job;
  readonly row: Row;
}

interface Job {
  /** Shortest first: the longest are taken from the end. */
  readonly rows: Row[];
  readonly vectors: Float32Array[];
  left: number;
  hasFailed: boolean;
  resolve(vectors: readonly Float32Array[]): void;
  reject(error: unknown): void;
}

/**
 * For each thread. More gains nothing, as measured with all-MiniLM-L6-v2, and takes longer: nobody waits longer than a batch for a turn, or for the end of
 * cancelled work.
 */
const MAX_TOKENS = 512;
const MAX_ROWS = 64;
/** Padding is worked on like text. */
const MIN_SHARE = 0.9;

export class Batches {
  readonly #run: Run;
  readonly #maxTokens: number;
  #jobs: Job[] = [];
  #isRunning = false;

  constructor(run: Run, threads: number) {
    this.#run = run;
    this.#maxTokens = MAX_TOKENS * threads;
  }

  /** @returns the vector of each row @throws Fault CANCELLED */
  add(ids: readonly (readonly number[])[], signal: AbortSignal | undefined): Promise<readonly Float32Array[]> {
    if (ids.length === 0) return Promise.resolve([]);
    // The caller may have left while its texts were cut: no listener hears of an abort that has passed.
    if (signal?.aborted) return Promise.reject(new Fault('CANCELLED'));
    return new Promise((resolve, reject) => {
      const rows = ids.map((each, at) => ({ ids: each, at })).sort((a, b) => a.ids.length - b.ids.length);
      const job: Job = { rows, vectors: new Array(ids.length), left: ids.length, hasFailed: false, resolve, reject };
      signal?.addEventListener('abort', () => this.#drop(job, new Fault('CANCELLED')), { once: true });
      this.#jobs.push(job);
      void this.#work();
    });
  }

  async #work(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#jobs.length > 0) {
      // A run blocks the thread: what has arrived meanwhile is read between two.
      await new Promise(setImmediate);
      await this.#serve(this.#next());
    }
    this.#isRunning = false;
  }

  async #serve(batch: readonly Taken[]): Promise<void> {
    try {
      const vectors = await this.#run(batch.map(({ row }) => row));
      for (const [index, { job, row }] of batch.entries()) this.#finish(job, row, vectors[index] as Float32Array | Fault);
    } catch (error) {
      if (batch.length <= 1) for (const { job } of batch) this.#drop(job, error);
      else await this.#serveEach(batch);
    }
  }

  /** The model may be unable to take one of them, such as one with a word beyond its table. */
  async #serveEach(batch: readonly Taken[]): Promise<void> {
    for (const taken of batch) {
      await new Promise(setImmediate);
      if (!taken.job.hasFailed) await this.#serve([taken]);
    }
  }

  /** The first request leads, and goes to the end; the others add what is not much shorter than its longest text. */
  #next(): Taken[] {
    const leader = this.#jobs.shift();
    if (!leader) return [];
    const longest = leader.rows.at(-1)?.ids.length ?? 0;
    const batch: Taken[] = [];
    const fits = (row: Row | undefined): row is Row =>
      row !== undefined &&
      row.ids.length <= longest &&
      row.ids.length >= longest * MIN_SHARE &&
      batch.length < MAX_ROWS &&
      (batch.length === 0 || (batch.length + 1) * longest <= this.#maxTokens);
    for (const job of [leader, ...this.#jobs])
      for (let row = job.rows.at(-1); fits(row); row = job.rows.at(-1)) {
        job.rows.pop();
        batch.push({ job, row });
      }
    if (leader.rows.length > 0) this.#jobs.push(leader);
    this.#jobs = this.#jobs.filter(({ rows }) => rows.length > 0);
    return batch;
  }

  #finish(job: Job, row: Row, vector: Float32Array | Fault): void {
    if (vector instanceof Fault) return this.#drop(job, vector);
    job.vectors[row.at] = vector;
    job.left -= 1;
    if (job.left === 0) job.resolve(job.vectors);
  }

  #drop(job: Job, error: unknown): void {
    job.hasFailed = true;
    this.#jobs = this.#jobs.filter((each) => each !== job);
    job.reject(error);
  }
}
