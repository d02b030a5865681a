// The interface of the store: SQL that both SQLite and PostgreSQL understand, and transactions that also write audit rows.
import type { AuditEvent } from './audit.ts';

/** Types that both databases return alike. Booleans are 0 and 1, JSON is text, times are milliseconds since the epoch. */
export type SqlValue = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, SqlValue>>;

/** Parameters are written `$1`, `$2`, ... in both dialects. */
export interface Reader {
  get<T extends object = Row>(sql: string, params?: readonly SqlValue[]): Promise<T | undefined>;
  all<T extends object = Row>(sql: string, params?: readonly SqlValue[]): Promise<T[]>;
}

/** Committed rows, for a thread that writes none. */
export interface ReadStore extends Reader {
  close(): Promise<void>;
}

export interface Transaction extends Reader {
  /** Returns the number of rows changed. */
  run(sql: string, params?: readonly SqlValue[]): Promise<number>;
  /** Statements without parameters, for migrations. */
  exec(sql: string): Promise<void>;
  /**
   * Names version counters (versions.ts) of what the transaction changes or deletes. When the transaction settles, their counters have moved in every
   * thread, and no other node uses what it had cached. Not needed for what is created, because nobody caches absence.
   */
  touch(counter: string): void;
  touchAll(): void;
  /** Writes the audit row of the change, in the same transaction. */
  audit(event: AuditEvent): Promise<void>;
}

export interface TransactionOptions {
  readonly lock?: string;
  readonly together?: true;
}

export interface Store extends Reader {
  readonly dialect: Dialect;
  /**
   * Runs `work` on this thread's writing connection and settles after the commit. `work` must await only its transaction, and may run again
   * after a serialization failure. If it throws, only its own changes are rolled back. Transactions with the same `lock` never run at the
   * same time, in any process.
   * With `together` its statements may run between those of others, after rows that they insert: what it decides on it must read after it has written
   * what others decide on, or change on condition that it is still so.
   * @throws Fault OVERLOADED if the database stays locked for 5 s or other writers always come first, UNAVAILABLE if it cannot be reached
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  close(): Promise<void>;
}

export type Dialect = 'sqlite' | 'postgres';

/** SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE; PostgreSQL unique_violation. */
const UNIQUE_VIOLATIONS: ReadonlySet<unknown> = new Set([1555, 2067, '23505']);

export function isUniqueViolation(error: unknown): boolean {
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  return UNIQUE_VIOLATIONS.has(errcode) || UNIQUE_VIOLATIONS.has(code);
}
