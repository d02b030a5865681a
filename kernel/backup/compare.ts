// Compares a table of two databases row by row.
import type { Snapshot } from '../store/snapshot.ts';
import type { SqlValue } from '../store/store.ts';
import { BackupError } from './format.ts';
import type { KeyedTable } from './schema.ts';
import { selectInOrder } from './select.ts';

/** @param most so many of the first rows of the source are compared @returns the number of rows @throws BackupError for the first row that differs; it names no value, because values are secret */
export async function compareTable(table: KeyedTable, from: Snapshot, to: Snapshot, most?: number): Promise<number> {
  const copies = selectInOrder(to, table)[Symbol.asyncIterator]();
  let rows = 0;
  for await (const values of selectInOrder(from, table, { most })) {
    const { value: copy, done } = await copies.next();
    const different = done ? 'is missing' : columnThatDiffers(table, values, copy);
    if (different) throw differs(`row ${rows + 1} of the table ${table.table} ${different}`);
    rows += 1;
  }
  if (!(await copies.next()).done) throw differs(`the table ${table.table} has more rows than the ${rows} of the source`);
  return rows;
}

function differs(what: string): BackupError {
  return new BackupError(`the copy differs from the source: ${what}; somebody wrote to one of them meanwhile, so empty the new database and copy again`);
}

function columnThatDiffers({ columns }: KeyedTable, values: readonly SqlValue[], copy: readonly SqlValue[]): string | undefined {
  const at = values.findIndex((value, index) => !isSame(value, copy[index] as SqlValue));
  return at < 0 ? undefined : `differs in the column ${columns[at]}`;
}

function isSame(one: SqlValue, other: SqlValue): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0;
  return one === other;
}
