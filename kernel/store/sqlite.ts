// The store on SQLite in WAL mode, through node:sqlite: synchronous calls on the thread that owns the data, with one writing connection per thread.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { diskTrouble } from '../disk/disk-trouble.ts';
import { createPrivateFile } from '../disk/private-file.ts';
import { Fault } from '../fault.ts';
import type { Versions } from '../versions.ts';
import { announcingHere } from './announcement.ts';
import type { AuditWriter } from './audit.ts';
import { GroupCommit, type WriteConnection } from './group-commit.ts';
import { OTHER_TABLES } from './other-tables.ts';
import { OpenedFiles } from './sqlite-files.ts';
import type { Reader, ReadStore, SqlValue, Store } from './store.ts';
import { Turn } from './turn.ts';

const BUSY_TIMEOUT_MS = 5_000;
/** SQLITE_BUSY and SQLITE_LOCKED. */
const BUSY: ReadonlySet<number> = new Set([5, 6]);
/** SQLITE_ERROR. */
const FAILED: ReadonlySet<number> = new Set([1]);
/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGE: ReadonlySet<number> = new Set([11, 26]);
const STATEMENTS = 500;
/** Limit for the pages that a writing connection keeps. More would make a write cheaper, and is memory that large objects fill in every thread. */
const CACHE_KIB = 2048;
/**
 * Pages of the write-ahead log after which a commit copies it into the database, which takes a copy of each page and two syncs more. At most some
 * 16 MB of disk, a quarter as many such commits as SQLite's 1000 pages make, and pages that change in each commit are copied a quarter as often.
 */
const CHECKPOINT_PAGES = 4000;

/**
 * @param path of the database file; it is created if missing
 * @param versions counters that all threads of the process share
 */
export function openSqlite(path: string, audit: AuditWriter, versions: Versions): Store {
  return translateErrors(() => opened(path, audit, versions));
}

function opened(path: string, audit: AuditWriter, versions: Versions): Store {
  // The write-ahead log gets the same file mode.
  createPrivateFile(path);
  const writer = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  // FULL: a commit that was answered survives a power failure, not only a crash of the process.
  // busy_timeout = 0, because SQLite's own wait for the write lock would block the thread. Turn waits instead.
  // temp_store = MEMORY: what a statement or a savepoint would undo stays in memory, not in a temporary file outside of the data folder.
  writer.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 0; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
  );
  // Reads have a separate connection, which sees committed rows only, even while the writer has an open transaction.
  const reader = openSqliteReader(path);
  const group = new GroupCommit(writeConnection(writer, new OpenedFiles(path), new Turn(versions.turns, BUSY_TIMEOUT_MS)), audit, announcingHere(versions));
  return {
    dialect: 'sqlite',
    get: reader.get,
    all: reader.all,
    transaction: (work, options) => group.submit(work, options?.lock, options?.together),
    async close() {
      await group.idle();
      await reader.close();
      writer.close();
    },
  };
}

/** Committed rows only, for a thread that writes none. @param timeout how long a read may wait for a lock, milliseconds */
export function openSqliteReader(path: string, timeout = BUSY_TIMEOUT_MS): ReadStore {
  const db = translateErrors(() => new DatabaseSync(path, { timeout, readOnly: true }));
  return { ...readerOver(statements(db)), close: async () => db.close() };
}

function readerOver(prepare: (sql: string) => StatementSync): Reader {
  return {
    async get<T extends object>(sql: string, params: readonly SqlValue[] = []) {
      return translateErrors(() => prepare(sql).get(...params)) as T | undefined;
    },
    async all<T extends object>(sql: string, params: readonly SqlValue[] = []) {
      return translateErrors(() => prepare(sql).all(...params)) as T[];
    },
  };
}

function writeConnection(db: DatabaseSync, files: OpenedFiles, turn: Turn): WriteConnection {
  const prepare = statements(db);
  const begin = () => {
    try {
      // SQLite allows one writer per file, so IMMEDIATE includes every named lock.
      prepare('BEGIN IMMEDIATE').run();
      return true;
    } catch (error) {
      if (isOneOf(BUSY, error)) return false;
      throw translated(error);
    }
  };
  return {
    begin: () => turn.take(begin),
    async commit() {
      // Whoever was told that it is done would find nothing after the next start.
      files.requireSame();
      translateErrors(() => prepare('COMMIT').run());
      turn.pass();
    },
    async rollback() {
      if (!db.isTransaction) return;
      db.exec('ROLLBACK');
      turn.pass();
    },
    exec: async (sql) => translateErrors(() => db.exec(sql)),
    run: async (sql, params) => translateErrors(() => Number(prepare(sql).run(...params).changes)),
    all: async (sql, params) => translateErrors(() => prepare(sql).all(...params)),
    mayRetry: () => false,
  };
}

/** Caches prepared statements by text. There are few texts; the limit guards against mistakes. */
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

function translateErrors<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw translated(error);
  }
}

/** A failure that passes is told as one: nothing of the transaction has happened, and the same request may succeed later. */
function translated(error: unknown): unknown {
  if (isOneOf(BUSY, error)) return new Fault('OVERLOADED', { cause: error });
  if (isOneOf(DAMAGE, error)) return new Fault('UNAVAILABLE', { detail: 'the database file is damaged, or is none', cause: error });
  if (isTableGone(error)) return new Fault('UNAVAILABLE', { detail: OTHER_TABLES, cause: error });
  // The disk has failed, not the request.
  const trouble = diskTrouble(error);
  return trouble ? new Fault('UNAVAILABLE', { detail: `the store cannot be written or read now: ${trouble}`, cause: error }) : error;
}

/** SQLITE_ERROR says no more by its number. */
const isTableGone = (error: unknown): boolean => isOneOf(FAILED, error) && /^(no such (table|column)|table \S+ has no column)/.test((error as Error).message);

/** Without the bits of extended codes. */
function isOneOf(codes: ReadonlySet<number>, error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  return errcode !== undefined && codes.has(errcode & 0xff);
}
