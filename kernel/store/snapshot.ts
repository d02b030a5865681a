// Reads a consistent snapshot of the whole store row by row, while others keep writing.
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { types } from './postgres.ts';
import { translateErrors } from './postgres-error.ts';
import type { Dialect, Row, SqlValue } from './store.ts';

export interface Snapshot {
  readonly dialect: Dialect;
  all<T extends object = Row>(sql: string): Promise<T[]>;
  /** Yields the values of each row in the order of the columns, with only a few rows in memory at a time. */
  rows(sql: string): AsyncIterable<readonly SqlValue[]>;
  close(): Promise<void>;
}

/** Rows per fetch from PostgreSQL. One row may be as large as a request body. */
const FETCHED = 128;

/** @param url `sqlite:<absolute path>` of an existing file, or `postgres://...` */
export function openSnapshot(url: string): Promise<Snapshot> {
  return url.startsWith('sqlite:') ? sqliteSnapshot(url.slice('sqlite:'.length)) : postgresSnapshot(url);
}

async function sqliteSnapshot(path: string): Promise<Snapshot> {
  const db = new DatabaseSync(path, { readOnly: true });
  // With the write-ahead log a read transaction keeps its snapshot and blocks no writer.
  db.exec('BEGIN');
  return {
    dialect: 'sqlite',
    all: async <T extends object>(sql: string) => db.prepare(sql).all() as T[],
    async *rows(sql) {
      const statement = db.prepare(sql);
      statement.setReturnArrays(true);
      yield* statement.iterate() as unknown as Iterable<readonly SqlValue[]>;
    },
    async close() {
      db.close();
    },
  };
}

async function postgresSnapshot(connectionString: string): Promise<Snapshot> {
  const client = new pg.Client({ connectionString, types, application_name: 'gatehouse backup' });
  // If the connection breaks, the waiting query fails; this listener only keeps the error from ending the thread.
  client.on('error', () => {});
  await translateErrors(() => client.connect());
  await translateErrors(() => client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'));
  return {
    dialect: 'postgres',
    all: async <T extends object>(sql: string) => (await translateErrors(() => client.query(sql))).rows as T[],
    async *rows(sql) {
      await translateErrors(() => client.query(`DECLARE each_row NO SCROLL CURSOR FOR ${sql}`));
      for (;;) {
        const { rows } = await translateErrors(() => client.query<SqlValue[]>({ text: `FETCH ${FETCHED} FROM each_row`, rowMode: 'array' }));
        yield* rows;
        if (rows.length < FETCHED) break;
      }
      await translateErrors(() => client.query('CLOSE each_row'));
    },
    close: () => client.end(),
  };
}
