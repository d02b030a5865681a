// Collects the rows that the product's own code inserts, and writes many of them with one statement for each table.
import type { SqlValue, Store, Transaction } from '../../kernel/store/store.ts';

/** An INSERT: its table and columns, and for each of its rows the place of each value among the parameters, or the number that it writes itself. */
interface Insert {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ({ readonly at: number } | { readonly value: number })[])[];
}

/** SQLite has at most 32766 parameters in a statement; this many are quick to bind. */
const MAX_PARAMETERS = 2_000;

const inserts = new Map<string, Insert>();

/** @throws Error for a text that is not an INSERT of parameters and whole numbers */
function insertOf(sql: string): Insert {
  const known = inserts.get(sql);
  if (known) return known;
  const [, table, columns, values] = /^\s*INSERT INTO (\w+) \(([^)]*)\)\s*VALUES\s*(.*)$/s.exec(sql) ?? [];
  if (!table || !columns || !values) throw new Error(`only inserts can be collected: ${sql}`);
  const rows = [...values.matchAll(/\(([^()]*)\)/g)].map(([, row = '']) =>
    row.split(',').map((text) => (text.trim().startsWith('$') ? { at: Number(text.trim().slice(1)) - 1 } : { value: Number(text) })),
  );
  const made = { table, columns: columns.split(',').map((column) => column.trim()), rows };
  inserts.set(sql, made);
  return made;
}

interface Collected {
  readonly table: string;
  readonly names: readonly string[];
  /** The values of each column. */
  readonly columns: SqlValue[][];
}

export class Bulk {
  readonly #tables = new Map<string, Collected>();

  /** Stands for a transaction before those who insert new rows only. It reads nothing: to them the tables are empty. */
  readonly tx: Transaction = {
    get: async () => undefined,
    all: async () => [],
    run: async (sql, params = []) => {
      // A row that is not there yet is not changed.
      if (!sql.trimStart().startsWith('INSERT')) return 0;
      const { table, columns, rows } = insertOf(sql);
      for (const row of rows)
        this.add(
          table,
          columns,
          row.map((each) => ('at' in each ? (params[each.at] ?? null) : each.value)),
        );
      return rows.length;
    },
    exec: async () => {},
    touch() {},
    touchAll() {},
    audit: async () => {},
  };

  add(table: string, names: readonly string[], values: readonly SqlValue[]): void {
    const key = `${table} ${names}`;
    const known = this.#tables.get(key);
    const collected = known ?? { table, names, columns: names.map(() => []) };
    if (!known) this.#tables.set(key, collected);
    for (const [at, value] of values.entries()) collected.columns[at]?.push(value);
  }

  /** Forgets what was collected. */
  clear(): void {
    this.#tables.clear();
  }

  /** Writes everything in one transaction, the tables in the order of their first rows. */
  async write(store: Store): Promise<void> {
    await store.transaction(async (tx) => {
      for (const collected of this.#tables.values()) await (store.dialect === 'postgres' ? writeArrays(tx, collected) : writeTuples(tx, collected));
    });
    this.clear();
  }
}

async function writeArrays(tx: Transaction, { table, names, columns }: Collected): Promise<void> {
  const types = columns.map((values) => arrayType(values.find((value) => value !== null) ?? 0));
  const places = types.map((type, at) => `$${at + 1}::${type}[]`).join(', ');
  await tx.run(`INSERT INTO ${table} (${names.join(', ')}) SELECT * FROM unnest(${places})`, columns as unknown as SqlValue[]);
}

function arrayType(value: SqlValue): string {
  if (typeof value === 'string') return 'text';
  return typeof value === 'number' ? 'bigint' : 'bytea';
}

async function writeTuples(tx: Transaction, { table, names, columns }: Collected): Promise<void> {
  const count = columns[0]?.length ?? 0;
  const together = Math.floor(MAX_PARAMETERS / names.length);
  for (let from = 0; from < count; from += together) {
    const rows = Math.min(together, count - from);
    const tuples = Array.from({ length: rows }, (_, row) => `(${names.map((_name, at) => `$${row * names.length + at + 1}`).join(', ')})`);
    const params = Array.from({ length: rows }, (_, row) => columns.map((values) => values[from + row] ?? null)).flat();
    await tx.run(`INSERT INTO ${table} (${names.join(', ')}) VALUES ${tuples.join(', ')}`, params);
  }
}
