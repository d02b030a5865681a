// Group commit: the transactions that a thread requests in one tick share one commit. If one fails, they run again with a savepoint each.
import { setTimeout as wait } from 'node:timers/promises';
import { callContext } from '../call-context.ts';
import { Fault } from '../fault.ts';
import { type Announce, allOf, sizeOf } from './announcement.ts';
import type { AuditWriter } from './audit.ts';
import type { GatheringConnection } from './gathering.ts';
import { type Done, failed, type Job, Touching, transactionOver, Undivided } from './group-job.ts';
import { runTogether, type TogetherOver } from './run-together.ts';
import type { SqlValue, Transaction } from './store.ts';

/** The parts of a thread's writing connection that a group needs. */
export interface WriteConnection {
  begin(lock: string | undefined): Promise<void>;
  /** @param announced text of a notification to other nodes, which the transaction sends */
  commit(announced?: string): Promise<void>;
  /** Never fails; after it the connection is ready for another begin. */
  rollback(): Promise<void>;
  exec(sql: string): Promise<void>;
  run(sql: string, params: readonly SqlValue[]): Promise<number>;
  all(sql: string, params: readonly SqlValue[]): Promise<object[]>;
  /** Only where the database is in another process: transactions that allow it run together. */
  readonly insertRows?: GatheringConnection['insertRows'];
  /** True for a failure after which a retry may succeed: serialization failure, deadlock. */
  mayRetry(error: unknown): boolean;
}

const MAX_GROUP_JOBS = 256;
const TRIES = 16;
/** After this many failed tries the group takes a lock that all processes share, so that contended groups run one after the other. */
const ALONE_AFTER = 3;
/** All others, whatever lock of their own they have, hold this one in common. */
export const CONTENDED = 'contended writers';
/** After a group that needed this lock so many take it from the start: writers that meet in the same rows, as in those of one owner, would all fail again. */
const ALONE_GROUPS = 64;
const MAX_WAIT_MS = 64;
/** After a failed transaction, so many groups use savepoints from the start: who often fails must not make others run twice. */
const CAREFUL_GROUPS = 32;

const [SET, UNDO, FREE] = ['SAVEPOINT job', 'ROLLBACK TO SAVEPOINT job', 'RELEASE SAVEPOINT job'] as const;

const insertsRows = (connection: WriteConnection): connection is WriteConnection & GatheringConnection => connection.insertRows !== undefined;

export class GroupCommit {
  readonly #connection: WriteConnection;
  readonly #audit: AuditWriter;
  readonly #announce: Announce;
  /** Undefined where running together saves nothing. */
  readonly #gathering: TogetherOver | undefined;
  readonly #tx: Transaction;
  /** Of the transaction which runs now. */
  readonly #touching = new Touching();
  /** Changes that other nodes may not have seen yet. */
  readonly #unseen = new Set<Promise<void>>();
  #queue: Job[] = [];
  #committing: Promise<void> | undefined;
  /** Groups that still use savepoints. */
  #careful = 0;
  /** Groups that take the lock of contended writers from the start. */
  #alone = 0;

  constructor(connection: WriteConnection, audit: AuditWriter, announce: Announce) {
    this.#connection = connection;
    this.#audit = audit;
    this.#announce = announce;
    if (insertsRows(connection)) this.#gathering = { connection, audit, mayRetry: (error) => connection.mayRetry(error) };
    const run = (sql: string, params: readonly SqlValue[]) => connection.run(sql, params);
    const all = (sql: string, params: readonly SqlValue[]) => connection.all(sql, params);
    this.#tx = transactionOver({ run, all }, (sql) => connection.exec(sql), audit, this.#touching);
  }

  submit<T>(work: (tx: Transaction) => Promise<T>, lock: string | undefined, isTogether = false): Promise<T> {
    // A group runs where its first transaction was submitted; each of the others must run for its own request too.
    const asked = callContext.getStore();
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work: (tx) => callContext.run(asked as never, work, tx), lock, isTogether, resolve: resolve as (value: unknown) => void, reject });
      this.#committing ??= this.#commitAll();
    });
  }

  /** Settles when all submitted transactions have ended. */
  async idle(): Promise<void> {
    while (this.#committing) await this.#committing;
    await Promise.all(this.#unseen);
  }

  async #commitAll(): Promise<void> {
    // Wait for further transactions from the rest of this tick.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) {
      // A job with a lock runs alone: others must not hold rows while they wait for its lock.
      const alone = this.#queue.findIndex(({ lock }) => lock !== undefined);
      const size = alone === 0 ? 1 : Math.min(MAX_GROUP_JOBS, alone === -1 ? this.#queue.length : alone);
      await this.#commit(this.#queue.splice(0, size));
    }
    this.#committing = undefined;
  }

  async #commit(jobs: readonly Job[]): Promise<void> {
    let isCareful = this.#careful > 0;
    if (isCareful) this.#careful -= 1;
    const isAlone = this.#alone > 0;
    if (isAlone) this.#alone -= 1;
    for (let tried = 1; ; tried++) {
      const mark = this.#audit.mark();
      const lock = jobs[0]?.lock ?? (isAlone || tried > ALONE_AFTER ? CONTENDED : undefined);
      let hasBegun = false;
      try {
        await this.#connection.begin(lock);
        hasBegun = true;
        await this.#commitDone(await this.#runAll(jobs, isCareful));
        return;
      } catch (error) {
        await this.#connection.rollback();
        // A commit whose answer was lost may have happened: where the audit log ends is read again.
        this.#audit.restore({ ...mark, head: undefined });
        if (error instanceof Undivided) {
          isCareful = true;
          this.#careful = CAREFUL_GROUPS;
          continue;
        }
        const mayRetry = this.#connection.mayRetry(error);
        if (tried < TRIES && mayRetry) {
          if (tried >= ALONE_AFTER) this.#alone = ALONE_GROUPS;
          // Wait a random time, so that the same groups do not collide again.
          await wait(Math.random() * Math.min(2 ** tried, MAX_WAIT_MS));
          continue;
        }
        // Jobs that came meanwhile would wait just as long again and then fail with DEADLINE instead of the real reason.
        const others = !hasBegun && lock === undefined && error instanceof Fault && error.code === 'OVERLOADED' ? this.#takeUnlocked() : [];
        for (const job of [...jobs, ...others]) job.reject(mayRetry ? new Fault('OVERLOADED', { cause: error }) : error);
        return;
      }
    }
  }

  /** Jobs that changed what others may have cached settle when nobody uses that any more; the others at once. */
  async #commitDone(done: readonly Done[]): Promise<void> {
    const touched = allOf(done);
    const announcement = sizeOf(touched) === 0 ? undefined : this.#announce(touched);
    await this.#connection.commit(announcement?.text);
    this.#audit.settle();
    const seen = announcement?.committed();
    for (const job of done) if (!seen || sizeOf(job.touched) === 0) job.settle();
    if (!seen) return;
    const settled = seen.then(() => {
      for (const job of done) if (sizeOf(job.touched) > 0) job.settle();
      this.#unseen.delete(settled);
    });
    this.#unseen.add(settled);
  }

  #takeUnlocked(): readonly Job[] {
    const taken = this.#queue.filter(({ lock }) => lock === undefined);
    this.#queue = this.#queue.filter(({ lock }) => lock !== undefined);
    return taken;
  }

  /** @param isCareful whether each job has a savepoint, which costs as much as a small job does @returns the jobs to settle after the commit */
  async #runAll(jobs: readonly Job[], isCareful: boolean): Promise<Done[]> {
    const done: Done[] = [];
    const gathering = this.#gathering;
    for (let at = 0; at < jobs.length; at = done.length) {
      const next = jobs.findIndex(({ isTogether }, index) => index >= at && !isTogether);
      const together = jobs.slice(at, next === -1 ? jobs.length : next);
      if (gathering && !isCareful && together.length > 1) done.push(...(await runTogether(together, gathering)));
      else done.push(await this.#runOne(jobs[at] as Job, isCareful, jobs.length === 1));
    }
    return done;
  }

  /** @throws Undivided if a job fails that neither has a savepoint nor is alone, which needs none */
  async #runOne(job: Job, isCareful: boolean, isOnly: boolean): Promise<Done> {
    const mark = this.#audit.mark();
    this.#touching.touched = new Set();
    if (isCareful) await this.#connection.run(SET, []);
    let done: Done;
    try {
      const value = await job.work(this.#tx);
      done = { touched: this.#touching.touched, settle: () => job.resolve(value) };
    } catch (error) {
      if (isOnly || this.#connection.mayRetry(error)) throw error;
      if (!isCareful) throw new Undivided(error);
      await this.#connection.run(UNDO, []);
      this.#audit.restore(mark);
      done = failed(job, error);
    }
    if (isCareful) await this.#connection.run(FREE, []);
    return done;
  }
}
