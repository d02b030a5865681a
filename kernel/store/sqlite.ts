// The store on SQLite in WAL mode through node:sqlite: synchronous calls on the thread that owns the data, one writer connection per thread.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Fault } from '../fault.ts';
import type { AuditWriter } from './audit.ts';
import { GroupCommit, type WriteConnection } from './group-commit.ts';
import type { Reader, SqlValue, Store } from './store.ts';

const BUSY_TIMEOUT_MS = 5_000;
/** SQLITE_BUSY and SQLITE_LOCKED, without their extended bits. */
const BUSY: ReadonlySet<number> = new Set([5, 6]);
const STATEMENTS = 500;

/** @param path of the database file; it is created if missing */
export function openSqlite(path: string, audit: AuditWriter): Store {
  const writer = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  // FULL: an answered commit survives a loss of power, not only of the process.
  writer.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  // A connection of its own for reads sees committed rows only, also while a group is open on the writer.
  const reader = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, readOnly: true });
  const group = new GroupCommit(writeConnection(writer), audit);
  const read = statements(reader);
  return {
    dialect: 'sqlite',
    shared: false,
    ...readerOver(read),
    transaction: (work, options) => group.submit(work, options?.lock),
    async close() {
      await group.idle();
      reader.close();
      writer.close();
    },
  };
}

function readerOver(prepare: (sql: string) => StatementSync): Reader {
  return {
    async get<T extends object>(sql: string, params: readonly SqlValue[] = []) {
      return guarded(() => prepare(sql).get(...params)) as T | undefined;
    },
    async all<T extends object>(sql: string, params: readonly SqlValue[] = []) {
      return guarded(() => prepare(sql).all(...params)) as T[];
    },
  };
}

function writeConnection(db: DatabaseSync): WriteConnection {
  const prepare = statements(db);
  return {
    // One writer at a time holds for the whole file, so IMMEDIATE is every lock at once.
    begin: async () => guarded(() => db.exec('BEGIN IMMEDIATE')),
    commit: async () => guarded(() => db.exec('COMMIT')),
    async rollback() {
      if (db.isTransaction) db.exec('ROLLBACK');
    },
    exec: async (sql) => guarded(() => db.exec(sql)),
    run: async (sql, params) => guarded(() => Number(prepare(sql).run(...params).changes)),
    all: async (sql, params) => guarded(() => prepare(sql).all(...params)),
    mayRetry: () => false,
  };
}

/** Prepared statements by their text; the texts are ours and few, the bound is for mistakes. */
function statements(db: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>();
  return (sql) => {
    const known = prepared.get(sql);
    if (known) return known;
    const statement = db.prepare(sql.replaceAll(/\$(\d+)/g, '?$1'));
    if (prepared.size >= STATEMENTS) prepared.clear();
    prepared.set(sql, statement);
    return statement;
  };
}

function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    const { errcode } = error as { errcode?: number };
    if (errcode !== undefined && BUSY.has(errcode & 0xff)) throw new Fault('OVERLOADED', { cause: error });
    throw error;
  }
}
