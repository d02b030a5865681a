// One moment of the whole store, read row by row while others go on writing it.
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { guarded, types } from './postgres.ts';
import type { Row, SqlValue } from './store.ts';

export interface Snapshot {
  all<T extends object = Row>(sql: string): Promise<T[]>;
  /** The values of each row in the order of the columns; only a few rows are in memory at a time. */
  rows(sql: string): AsyncIterable<readonly SqlValue[]>;
  close(): Promise<void>;
}

/** Rows that PostgreSQL sends at once; one may be as large as a request body. */
const FETCHED = 128;

/** @param url `sqlite:<absolute path>` of a file that is there, or `postgres://...` */
export function openSnapshot(url: string): Promise<Snapshot> {
  return url.startsWith('sqlite:') ? sqliteSnapshot(url.slice('sqlite:'.length)) : postgresSnapshot(url);
}

async function sqliteSnapshot(path: string): Promise<Snapshot> {
  const db = new DatabaseSync(path, { readOnly: true });
  // A reader of the write-ahead log keeps its moment until it ends, and keeps no writer waiting.
  db.exec('BEGIN');
  return {
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
  // A connection that breaks fails the query that waits for it.
  client.on('error', () => {});
  await guarded(() => client.connect());
  await guarded(() => client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'));
  return {
    all: async <T extends object>(sql: string) => (await guarded(() => client.query(sql))).rows as T[],
    async *rows(sql) {
      await guarded(() => client.query(`DECLARE each_row NO SCROLL CURSOR FOR ${sql}`));
      for (;;) {
        const { rows } = await guarded(() => client.query<SqlValue[]>({ text: `FETCH ${FETCHED} FROM each_row`, rowMode: 'array' }));
        yield* rows;
        if (rows.length < FETCHED) break;
      }
      await guarded(() => client.query('CLOSE each_row'));
    },
    close: () => client.end(),
  };
}
