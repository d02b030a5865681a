// Rows for every column of every table, made from what the database says of its columns, and the rows of a store in one order.
import { type KeyedTable, quote } from '../../kernel/backup/schema.ts';
import { selectInOrder } from '../../kernel/backup/select.ts';
import { createClock } from '../../kernel/clock.ts';
import { openStore } from '../../kernel/store/open.ts';
import { openSnapshot } from '../../kernel/store/snapshot.ts';
import type { SqlValue, Store } from '../../kernel/store/store.ts';

const AT_ONCE = 30;
/** Their rows say which migrations were run, and what the root key opens. */
export const FULL: ReadonlySet<string> = new Set(['migration', 'data_key']);

export async function withStore<T>(url: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(url, { writer: 'test', clock: createClock() });
  return work(store).finally(() => store.close());
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
}

export async function columnsOf(store: Store, table: string): Promise<Column[]> {
  const sql =
    store.dialect === 'sqlite'
      ? `SELECT name, type, "notnull" = 0 AND pk = 0 AS nullable FROM pragma_table_info('${table}')`
      : `SELECT column_name AS name, data_type AS type, CASE is_nullable WHEN 'YES' THEN 1 ELSE 0 END AS nullable FROM information_schema.columns
          WHERE table_schema = current_schema() AND table_name = '${table}'`;
  const rows = await store.all<{ name: string; type: string; nullable: number }>(sql);
  return rows.map(({ name, type, nullable }) => ({ name, type: type.toLowerCase(), isNullable: nullable === 1 }));
}

/** The same texts and numbers in every table, so that rows refer to each other; objects of one owner, so that they are counted together. */
function cellOf({ name, type, isNullable }: Column, row: number): SqlValue {
  if (isNullable && row % 2 === 1) return null;
  if (type === 'bytea') return row === 0 ? new Uint8Array() : Uint8Array.of(row & 0xff, 0, 0xff, row >> 8, 0x5c, 0x0a);
  if (type === 'text') return name === 'owner' ? 'team/owner' : `t${row} \u{1f511} e\u0301 \u00e9 '"\\ \n$1 %`;
  return 2 ** 40 + row;
}

/** @param rows of each table but those that are full; a multiple of thirty */
export async function fillAll(store: Store, tables: readonly KeyedTable[], rows: number): Promise<void> {
  const filled = tables.filter(({ table }) => !FULL.has(table));
  const columnsByTable = new Map<string, readonly Column[]>();
  for (const { table } of filled) columnsByTable.set(table, await columnsOf(store, table));
  await store.transaction(async (tx) => {
    for (const [table, columns] of columnsByTable) {
      const tuple = (_: unknown, row: number) => `(${columns.map((__, at) => `$${row * columns.length + at + 1}`).join(', ')})`;
      const tuples = Array.from({ length: AT_ONCE }, tuple).join(', ');
      const sql = `INSERT INTO ${quote(table)} (${columns.map(({ name }) => quote(name)).join(', ')}) VALUES ${tuples}`;
      for (let row = 0; row < rows; row += AT_ONCE)
        await tx.run(sql, Array.from({ length: AT_ONCE }, (_, at) => columns.map((column) => cellOf(column, row + at))).flat());
    }
  });
}

/** @returns the rows of each table by its name, all of one moment */
export async function rowsOf(url: string, tables: readonly KeyedTable[]): Promise<Map<string, (readonly SqlValue[])[]>> {
  const snapshot = await openSnapshot(url);
  const found = new Map<string, (readonly SqlValue[])[]>();
  for (const table of tables) {
    const rows: (readonly SqlValue[])[] = [];
    for await (const values of selectInOrder(snapshot, table)) rows.push([...values]);
    found.set(table.table, rows);
  }
  await snapshot.close();
  return found;
}
