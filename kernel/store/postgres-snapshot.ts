// A consistent snapshot of a store on PostgreSQL, in a read-only transaction of its own.
import pg from 'pg';
import { translateErrors } from './postgres-error.ts';
import { types } from './postgres-types.ts';
import type { AskedRows, Snapshot } from './snapshot.ts';
import type { Row, SqlValue } from './store.ts';

/** Rows per fetch. */
const FETCHED = 128;
/** Bytes per fetch, unless one row has more: a row may be as large as a request body, and the driver holds three times the bytes of a fetch. */
const FETCHED_BYTES = 8_388_608;

/** @param connectionString `postgres://...` */
export async function postgresSnapshot(connectionString: string): Promise<Snapshot> {
  const client = new pg.Client({ connectionString, types, application_name: 'gatehouse backup' });
  // If the connection breaks, the waiting query fails; this listener only keeps the error from ending the thread.
  client.on('error', () => {});
  await translateErrors(() => client.connect());
  await translateErrors(() => client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'));
  // Two walks through one table begin at the same row.
  await translateErrors(() => client.query('SET LOCAL synchronize_seqscans = off'));
  return {
    dialect: 'postgres',
    all: async <T extends object = Row>(sql: string) => (await translateErrors(() => client.query(sql))).rows as T[],
    rows: (asked) => rowsOf(client, asked),
    close: () => client.end(),
  };
}

async function* rowsOf(client: pg.Client, { table, columns, rest = '' }: AskedRows): AsyncGenerator<readonly SqlValue[]> {
  const sizes = await sizeSql(client, table);
  await translateErrors(() => client.query(`DECLARE each_row NO SCROLL CURSOR FOR SELECT ${columns.join(', ')} FROM ${table} ${rest}`));
  if (sizes !== undefined) await translateErrors(() => client.query(`DECLARE each_size NO SCROLL CURSOR FOR SELECT ${sizes} FROM ${table} ${rest}`));
  for await (const count of sizes === undefined ? always(FETCHED) : countsBySize(client)) {
    const rows = await fetched(client, 'each_row', count);
    yield* rows;
    if (rows.length < count) break;
  }
  await translateErrors(() => client.query('CLOSE ALL'));
}

/** @returns SQL for the bytes of a row; undefined for a table without columns of bytes: texts are short */
async function sizeSql(client: pg.Client, table: string): Promise<string | undefined> {
  const sql = `SELECT quote_ident(attname) AS name FROM pg_attribute
    WHERE attrelid = '${table}'::regclass AND atttypid = 'bytea'::regtype AND attnum > 0 AND NOT attisdropped`;
  const { rows } = await translateErrors(() => client.query<{ name: string }>(sql));
  return rows.length === 0 ? undefined : rows.map(({ name }) => `COALESCE(OCTET_LENGTH(${name}), 0)::BIGINT`).join(' + ');
}

async function fetched(client: pg.Client, cursor: string, count: number): Promise<SqlValue[][]> {
  return (await translateErrors(() => client.query<SqlValue[]>({ text: `FETCH ${count} FROM ${cursor}`, rowMode: 'array' }))).rows;
}

async function* always(count: number): AsyncGenerator<number> {
  for (;;) yield count;
}

/** How many of the next rows one fetch takes, to the last row. */
async function* countsBySize(client: pg.Client): AsyncGenerator<number> {
  for (;;) {
    const sizes = await fetched(client, 'each_size', FETCHED);
    let [count, bytes] = [0, 0];
    for (const [size] of sizes) {
      if (count > 0 && bytes + Number(size) > FETCHED_BYTES) {
        yield count;
        [count, bytes] = [0, 0];
      }
      count += 1;
      bytes += Number(size);
    }
    if (count > 0) yield count;
    if (sizes.length < FETCHED) return;
  }
}
