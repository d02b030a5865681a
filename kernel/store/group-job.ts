// A transaction of a group: its work, and what is told of it once the group is committed.
import { type Announce, NOTHING, type Touched } from './announcement.ts';
import type { AuditEvent, AuditWriter } from './audit.ts';
import type { SqlValue, Transaction } from './store.ts';

export interface Job {
  readonly work: (tx: Transaction) => Promise<unknown>;
  readonly lock: string | undefined;
  /** Whether its statements may run between those of others (TransactionOptions). */
  readonly isTogether: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A job that has run, until its changes are committed and seen. */
export interface Done {
  readonly touched: Touched;
  settle(): void;
}

/** A job of which nothing is left in the transaction. */
export const failed = (job: Job, error: unknown): Done => ({ touched: NOTHING, settle: () => job.reject(error) });

/** A transaction of a group failed that had no savepoint: the others run again without its changes. */
export class Undivided extends Error {
  constructor(cause: unknown) {
    super('a transaction of the group failed', { cause });
  }
}

/** What runs the statements of a transaction. */
export interface Statements {
  run(sql: string, params: readonly SqlValue[]): Promise<number>;
  all(sql: string, params: readonly SqlValue[]): Promise<object[]>;
}

/** The counters that a transaction names while it runs. */
export class Touching {
  touched: Set<string> | Extract<Parameters<Announce>[0], string> = new Set();

  readonly touch = (counter: string): void => {
    if (this.touched !== 'all') this.touched.add(counter);
  };

  readonly touchAll = (): void => {
    this.touched = 'all';
  };
}

export function transactionOver(
  { run, all }: Statements,
  exec: Transaction['exec'],
  audit: Pick<AuditWriter, 'write'>,
  { touch, touchAll }: Pick<Transaction, 'touch' | 'touchAll'>,
): Transaction {
  const reader = {
    all: <T extends object>(sql: string, params: readonly SqlValue[] = []) => all(sql, params) as Promise<T[]>,
    get: async <T extends object>(sql: string, params: readonly SqlValue[] = []) => (await all(sql, params))[0] as T | undefined,
  };
  const write = (sql: string, params: readonly SqlValue[] = []) => run(sql, params);
  return { ...reader, touch, touchAll, run: write, exec, audit: (event: AuditEvent) => audit.write({ ...reader, run: write }, event) };
}
