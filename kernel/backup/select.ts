// Selects the rows of a table in an order that is the same in both databases.
import type { Snapshot } from '../store/snapshot.ts';
import type { SqlValue } from '../store/store.ts';
import { type KeyedTable, quote } from './schema.ts';

interface Which {
  /** Number of the first rows that are left out. */
  readonly skipped?: number;
  /** Number of rows at most. */
  readonly most?: number | undefined;
}

export function selectInOrder(snapshot: Snapshot, { table, columns, key }: KeyedTable, { skipped = 0, most }: Which = {}): AsyncIterable<readonly SqlValue[]> {
  const { dialect } = snapshot;
  // SQLite compares texts by their bytes, PostgreSQL by the rules of a language unless it is told otherwise.
  const collation = (isText: boolean) => (dialect === 'postgres' && isText ? ' COLLATE "C"' : '');
  const order = key.map(({ name, isText }) => `${quote(name)}${collation(isText)} NULLS FIRST`).join(', ');
  const limit = most ?? (dialect === 'postgres' ? 'ALL' : -1);
  return snapshot.rows({ table: quote(table), columns: columns.map(quote), rest: `ORDER BY ${order} LIMIT ${limit} OFFSET ${skipped}` });
}
