// Selects the rows of a table in an order that is the same in both databases.
import type { Snapshot } from '../store/snapshot.ts';
import type { SqlValue } from '../store/store.ts';
import { type KeyedTable, quote } from './schema.ts';

/** @param skipped number of the first rows that are left out */
export function selectInOrder(snapshot: Snapshot, { table, columns, key }: KeyedTable, skipped = 0): AsyncIterable<readonly SqlValue[]> {
  const { dialect } = snapshot;
  // SQLite compares texts by their bytes, PostgreSQL by the rules of a language unless it is told otherwise.
  const collation = (isText: boolean) => (dialect === 'postgres' && isText ? ' COLLATE "C"' : '');
  const order = key.map(({ name, isText }) => `${quote(name)}${collation(isText)} NULLS FIRST`).join(', ');
  const rest = dialect === 'postgres' ? `OFFSET ${skipped}` : `LIMIT -1 OFFSET ${skipped}`;
  return snapshot.rows({ table: quote(table), columns: columns.map(quote), rest: `ORDER BY ${order} ${rest}` });
}
