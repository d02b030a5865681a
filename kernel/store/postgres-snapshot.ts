// A consistent snapshot of a store on PostgreSQL, in a read-only transaction of its own.
import pg from 'pg';
import { types } from './postgres.ts';
import { translateErrors } from './postgres-error.ts';
import type { Snapshot } from './snapshot.ts';
import type { SqlValue } from './store.ts';

/** Rows per fetch. One row may be as large as a request body. */
const FETCHED = 128;

/** @param connectionString `postgres://...` */
export async function postgresSnapshot(connectionString: string): Promise<Snapshot> {
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
