// Group commit: the transactions that a thread requests in one tick share one commit. If one fails, they run again with a savepoint each.
import { setTimeout as wait } from 'node:timers/promises';
import { callContext } from '../call-context.ts';
import { Fault } from '../fault.ts';
import { type Announce, allOf, NOTHING, sizeOf, type Touched } from './announcement.ts';
import type { AuditEvent, AuditWriter } from './audit.ts';
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
  /** True for a failure after which a retry may succeed: serialization failure, deadlock. */
  mayRetry(error: unknown): boolean;
}

interface Job {
  readonly work: (tx: Transaction) => Promise<unknown>;
  readonly lock: string | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
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

/** A job that has run, until its changes are committed and seen. */
interface Done {
  readonly touched: Touched;
  settle(): void;
}

/** A transaction of a group failed that had no savepoint: the others run again without its changes. */
class Undivided extends Error {}

export class GroupCommit {
  readonly #connection: WriteConnection;
  readonly #audit: AuditWriter;
  readonly #announce: Announce;
  readonly #tx: Transaction;
  /** Counters that the transaction which runs now has named. */
  #touched: Set<string> | 'all' = new Set();
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
    this.#tx = transactionOver(connection, audit, {
      touch: (counter) => void (this.#touched !== 'all' && this.#touched.add(counter)),
      touchAll: () => {
        this.#touched = 'all';
      },
    });
  }

  submit<T>(work: (tx: Transaction) => Promise<T>, lock: string | undefined): Promise<T> {
    // A group runs where its first transaction was submitted; each of the others must run for its own request too.
    const asked = callContext.getStore();
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work: (tx) => callContext.run(asked as never, work, tx), lock, resolve: resolve as (value: unknown) => void, reject });
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

  /**
   * @param isCareful whether each job has a savepoint, which costs as much as a small job does; a job that is alone needs none
   * @returns the jobs to settle after the commit @throws Undivided if a job fails that has neither
   */
  async #runAll(jobs: readonly Job[], isCareful: boolean): Promise<Done[]> {
    const done: Done[] = [];
    for (const job of jobs) {
      const mark = this.#audit.mark();
      this.#touched = new Set();
      if (isCareful) await this.#connection.run(SET, []);
      try {
        const value = await job.work(this.#tx);
        done.push({ touched: this.#touched, settle: () => job.resolve(value) });
      } catch (error) {
        if (jobs.length === 1 || this.#connection.mayRetry(error)) throw error;
        if (!isCareful) throw new Undivided('a transaction of the group failed', { cause: error });
        await this.#connection.run(UNDO, []);
        this.#audit.restore(mark);
        done.push({ touched: NOTHING, settle: () => job.reject(error) });
      }
      if (isCareful) await this.#connection.run(FREE, []);
    }
    return done;
  }
}

function transactionOver(connection: WriteConnection, audit: AuditWriter, touching: Pick<Transaction, 'touch' | 'touchAll'>): Transaction {
  const all = <T extends object>(sql: string, params: readonly SqlValue[] = []) => connection.all(sql, params) as Promise<T[]>;
  const reader = { all, get: async <T extends object>(sql: string, params?: readonly SqlValue[]) => (await all<T>(sql, params))[0] };
  const run = (sql: string, params: readonly SqlValue[] = []) => connection.run(sql, params);
  return { ...reader, ...touching, run, exec: (sql) => connection.exec(sql), audit: (event: AuditEvent) => audit.write({ ...reader, run }, event) };
}
