// Reads a consistent snapshot of the whole store row by row, while others keep writing.
import { DatabaseSync } from 'node:sqlite';
import type { Dialect, Row, SqlValue } from './store.ts';
import { databaseFile } from './store-url.ts';

/** Names are quoted. */
export interface AskedRows {
  readonly table: string;
  readonly columns: readonly string[];
  /** The order, and how many of the first are left out. */
  readonly rest?: string;
}

export interface Snapshot {
  readonly dialect: Dialect;
  all<T extends object = Row>(sql: string): Promise<T[]>;
  /** Yields the values of each row in the order of the columns, with only a few rows in memory at a time, however large they are. */
  rows(asked: AskedRows): AsyncIterable<readonly SqlValue[]>;
  close(): Promise<void>;
}

/** @param url `sqlite:<absolute path>` of an existing file, or `postgres://...` */
export async function openSnapshot(url: string): Promise<Snapshot> {
  const file = databaseFile(url);
  if (file !== undefined) return sqliteSnapshot(file);
  const { postgresSnapshot } = await import('./postgres-snapshot.ts');
  return postgresSnapshot(url);
}

function sqliteSnapshot(path: string): Snapshot {
  const db = new DatabaseSync(path, { readOnly: true });
  // With the write-ahead log a read transaction keeps its snapshot and blocks no writer.
  db.exec('BEGIN');
  return {
    dialect: 'sqlite',
    all: async <T extends object>(sql: string) => db.prepare(sql).all() as T[],
    async *rows({ table, columns, rest = '' }) {
      const statement = db.prepare(`SELECT ${columns.join(', ')} FROM ${table} ${rest}`);
      statement.setReturnArrays(true);
      yield* statement.iterate() as unknown as Iterable<readonly SqlValue[]>;
    },
    async close() {
      db.close();
    },
  };
}
