// Deletes expired rows in steps along the primary key, so that no transaction reads more than a fixed number of rows.
import type { SqlValue, Store } from './store.ts';

interface Sweep {
  readonly table: string;
  /** Columns of the primary key. All are texts, and no row has all of them empty. */
  readonly key: readonly string[];
  /** A condition with parameters `$1`, ... */
  readonly where: string;
  readonly params: readonly SqlValue[];
}

/** Rows per transaction. */
const STRETCH = 1_000;

/** @returns number of deleted rows */
export async function sweep(store: Store, { table, key, where, params }: Sweep): Promise<number> {
  const place = (from: number) => key.map((_, at) => `$${from + at + 1}`).join(', ');
  const columns = key.join(', ');
  const after = `(${columns}) > (${place(params.length)})`;
  const upTo = `(${columns}) <= (${place(params.length + key.length)})`;
  const endSql = `SELECT ${columns} FROM ${table} WHERE (${columns}) > (${place(0)}) ORDER BY ${columns} LIMIT 1 OFFSET ${STRETCH - 1}`;
  let deleted = 0;
  let begin: SqlValue[] | undefined = key.map(() => '');
  while (begin) {
    const from: SqlValue[] = begin;
    const row: Readonly<Record<string, SqlValue>> | undefined = await store.get(endSql, from);
    const end = row && key.map((column) => row[column] ?? '');
    const stretch = `(${where}) AND ${after}${end ? ` AND ${upTo}` : ''}`;
    deleted += await store.transaction((tx) => tx.run(`DELETE FROM ${table} WHERE ${stretch}`, [...params, ...from, ...(end ?? [])]));
    begin = end;
  }
  return deleted;
}
