// A made-up world for the group commit: a database with savepoints that fails at seeded moments, clients with transactions, and what must hold at the end.
import { Fault } from '../../../kernel/fault.ts';
import type { Announce } from '../../../kernel/store/announcement.ts';
import { type AuditRow, type AuditWriter, auditHash, createAuditWriter } from '../../../kernel/store/audit.ts';
import { GroupCommit, type WriteConnection } from '../../../kernel/store/group-commit.ts';
import type { RowInsert } from '../../../kernel/store/row-insert.ts';
import type { SqlValue, Transaction } from '../../../kernel/store/store.ts';
import { type Random, seeded } from '../../../soak/seeded.ts';

/** Mistakes that are put in on purpose, in what surrounds the group: a simulation that misses one proves nothing. */
export type Mistake =
  | 'answered before the commit'
  | 'savepoints undo nothing'
  | 'audit goes on after an undo'
  | 'settled before it is seen'
  | 'audit trusts a lost commit';

class Retry extends Error {}
/** What a transaction throws by itself. */
class OwnFailure extends Error {}

interface Row {
  readonly job: number;
  readonly step: number;
}

/** The rows of jobs and of the audit log. */
interface Rows {
  readonly rows: readonly Row[];
  readonly audit: readonly AuditRow[];
}

interface Open extends Rows {
  readonly savepoints: readonly Rows[];
  /** As PostgreSQL has it: after a failed statement only an undo is taken. */
  readonly isAborted: boolean;
}

const JOBS = 40;
const EMPTY: Rows = { rows: [], audit: [] };
const COLUMNS = ['stream', 'seq', 'time', 'request_id', 'realm', 'actor', 'scheme', 'source', 'event', 'target', 'outcome', 'reason', 'prev'] as const;

class Database implements WriteConnection {
  committed: Rows = EMPTY;
  /** Jobs in commits whose outcome the connection did not tell. */
  readonly untold = new Set<number>();
  readonly #random: Random;
  readonly #mistake: Mistake | undefined;
  #open: Open | undefined;
  /** Statements run in the order in which they were sent. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(random: Random, mistake: Mistake | undefined) {
    this.#random = random;
    this.#mistake = mistake;
  }

  async begin(): Promise<void> {
    await this.#pause();
    if (this.#chance(0.03)) throw new Fault('OVERLOADED');
    if (this.#chance(0.02)) throw new Fault('UNAVAILABLE');
    this.#open = { ...this.committed, savepoints: [], isAborted: false };
  }

  async commit(): Promise<void> {
    const open = this.#open as Open;
    if (this.#mistake === 'answered before the commit') {
      void this.#pause().then(() => this.#apply(open));
      return;
    }
    await this.#pause();
    if (this.#chance(0.04)) throw new Retry('serialization failure');
    if (this.#chance(0.04)) {
      // The connection is lost: the commit has arrived, or it has not.
      for (const { job } of open.rows) this.untold.add(job);
      if (this.#chance(0.5)) this.#apply(open);
      throw new Fault('ACTOR_LOST');
    }
    this.#apply(open);
  }

  async rollback(): Promise<void> {
    await this.#pause();
    this.#open = undefined;
  }

  async exec(): Promise<void> {}

  run(sql: string, params: readonly SqlValue[]): Promise<number> {
    return this.#next(() => this.#run(sql, params));
  }

  insertRows({ columns }: RowInsert, values: readonly SqlValue[]): Promise<void> {
    return this.#next(async () => {
      for (let at = 0; at < values.length; at += columns) await this.#run('INSERT INTO audit', values.slice(at, at + columns));
    });
  }

  #next<T>(statement: () => Promise<T>): Promise<T> {
    const next = this.#last.then(statement);
    this.#last = next.catch(() => {});
    return next;
  }

  async #run(sql: string, params: readonly SqlValue[]): Promise<number> {
    const open = this.#open as Open;
    if (sql.startsWith('ROLLBACK TO')) return this.#undo(open);
    if (open.isAborted) throw new Error('current transaction is aborted');
    if (sql.startsWith('SAVEPOINT')) this.#open = { ...open, savepoints: [...open.savepoints, open] };
    else if (sql.startsWith('RELEASE')) this.#open = { ...open, savepoints: open.savepoints.slice(0, -1) };
    else {
      await this.#pause();
      if (this.#chance(0.01)) this.#fail(open, new Retry('deadlock'));
      if (this.#chance(0.01)) this.#fail(open, new Error('a statement failed'));
      const audit = sql.startsWith('INSERT INTO audit') ? rowOf(params) : undefined;
      if (audit && open.audit.some(({ seq }) => seq === audit.seq)) this.#fail(open, new Error('the row of the audit log is there already'));
      if (audit) this.#open = { ...open, audit: [...open.audit, audit] };
      else this.#open = { ...open, rows: [...open.rows, { job: params[0] as number, step: params[1] as number }] };
    }
    return 1;
  }

  all(): Promise<object[]> {
    return this.#next(async () => this.#open?.audit.slice(-1) ?? []);
  }

  mayRetry(error: unknown): boolean {
    return error instanceof Retry;
  }

  #undo(open: Open): number {
    const to = open.savepoints.at(-1) as Rows;
    this.#open =
      this.#mistake === 'savepoints undo nothing' ? { ...open, isAborted: false } : { ...open, ...to, savepoints: open.savepoints, isAborted: false };
    return 0;
  }

  #fail(open: Open, error: Error): never {
    this.#open = { ...open, isAborted: true };
    throw error;
  }

  /** A commit after a failed statement is an undo. */
  #apply({ rows, audit, isAborted }: Open): void {
    if (!isAborted) this.committed = { rows, audit };
  }

  #chance(part: number): boolean {
    return this.#random.next() < part;
  }

  async #pause(): Promise<void> {
    for (let turns = this.#random.below(3); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
  }
}

function rowOf(params: readonly SqlValue[]): AuditRow {
  return Object.fromEntries(COLUMNS.map((column, at) => [column, params[at]])) as unknown as AuditRow;
}

export interface Outcome {
  readonly violations: readonly string[];
  readonly kept: number;
  readonly failed: number;
  readonly groups: number;
}

export async function runWorld(seed: number, mistake?: Mistake): Promise<Outcome> {
  const random = seeded(seed);
  const database = new Database(random, mistake);
  const violations: string[] = [];
  const seen = new Set<string>();
  let groups = 0;
  const announce: Announce = (touched) => ({
    text: '',
    committed() {
      groups += 1;
      const done = (async () => {
        for (let turns = random.below(4); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
        for (const counter of touched) seen.add(counter);
      })();
      return mistake === 'settled before it is seen' ? undefined : done;
    },
  });
  const group = new GroupCommit(database, auditOf(mistake), announce);
  const counts = { kept: 0, failed: 0 };
  const jobs = Array.from({ length: JOBS }, async (_, job) => {
    for (let turns = random.below(30); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
    const plan = { steps: 1 + random.below(4), fails: random.next() < 0.1, touches: random.next() < 0.4, lock: random.next() < 0.05 ? 'a lock' : undefined };
    const isTogether = random.next() < 0.5;
    try {
      await group.submit((tx) => work(tx, job, plan), plan.lock, isTogether);
      counts.kept += 1;
      violations.push(...keptViolations(database.committed, job, plan.steps));
      if (plan.touches && !seen.has(String(job))) violations.push(`job ${job} was answered before its change was seen`);
    } catch {
      counts.failed += 1;
      if (!database.untold.has(job) && rowsOf(database.committed, job).length > 0) violations.push(`job ${job} failed, and has left rows`);
    }
  });
  await Promise.all(jobs);
  await group.idle();
  // Whatever has happened, the next transaction goes through, sooner or later.
  if (!(await goesOn(group))) violations.push('no transaction goes through any more');
  return { violations: [...violations, ...chainViolations(database.committed)], ...counts, groups };
}

async function work(tx: Transaction, job: number, { steps, fails, touches }: { steps: number; fails: boolean; touches: boolean }): Promise<void> {
  if (touches) tx.touch(String(job));
  for (let step = 0; step < steps; step++) await tx.run('INSERT INTO rows', [job, step]);
  await tx.audit({ event: 'job', outcome: 'success', target: String(job) });
  if (fails) throw new OwnFailure();
}

async function goesOn(group: GroupCommit): Promise<boolean> {
  for (let tried = 0; tried < 20; tried++) {
    const done = await group
      .submit((tx) => work(tx, JOBS + tried, { steps: 1, fails: false, touches: false }), undefined)
      .then(
        () => true,
        () => false,
      );
    if (done) return true;
  }
  return false;
}

function auditOf(mistake: Mistake | undefined): AuditWriter {
  const audit = createAuditWriter('w', { now: () => 0, monotonic: () => 0 });
  if (mistake === 'audit goes on after an undo') return { ...audit, restore() {} };
  if (mistake !== 'audit trusts a lost commit') return audit;
  let marked = audit.mark();
  return {
    ...audit,
    mark() {
      marked = audit.mark();
      return marked;
    },
    restore: ({ head = marked.head, rate }) => audit.restore({ head, rate }),
  };
}

const rowsOf = ({ rows }: Rows, job: number): readonly Row[] => rows.filter((row) => row.job === job);

/** An answered transaction is there as a whole, once. */
function keptViolations(committed: Rows, job: number, steps: number): string[] {
  const found = rowsOf(committed, job).length;
  const told = committed.audit.filter(({ target }) => target === String(job)).length;
  return found === steps && told === 1 ? [] : [`job ${job} was answered with ${found} of ${steps} rows and ${told} of the audit log`];
}

/** The audit log has no gap, and one row for each transaction that is there, which is there as a whole. */
function chainViolations(committed: Rows): string[] {
  const violations: string[] = [];
  let prev = '';
  for (const [at, row] of committed.audit.entries()) {
    if (row.seq !== at + 1 || row.prev !== prev) violations.push(`row ${at + 1} of the audit log does not continue the one before`);
    prev = auditHash(row);
  }
  const told = committed.audit.map(({ target }) => Number(target)).sort((a, b) => a - b);
  const kept = [...new Set(committed.rows.map(({ job }) => job))].sort((a, b) => a - b);
  if (told.join() !== kept.join()) violations.push('the audit log does not tell of what is there');
  return violations;
}
