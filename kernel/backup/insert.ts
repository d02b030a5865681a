// Inserts the rows of another store into new tables, many rows per statement.
import type { SqlValue, Transaction } from '../store/store.ts';
import type { Table } from './format.ts';
import { quote } from './schema.ts';

const ROWS = 64;
/** Limit of the waiting rows, in bytes and characters. */
const WEIGHT = 4_194_304;

/** @returns bytes and characters */
export function weightOf(values: readonly SqlValue[]): number {
  return values.reduce<number>((sum, value) => sum + (value === null || typeof value === 'number' ? 8 : value.length), 0);
}

export class Inserter {
  readonly #tx: Transaction;
  readonly #overriding: string;
  #table: Table | undefined;
  #waiting: SqlValue[][] = [];
  #weight = 0;

  constructor(tx: Transaction, dialect: 'sqlite' | 'postgres') {
    this.#tx = tx;
    // Keep the numbers of the backup in columns that PostgreSQL would number itself.
    this.#overriding = dialect === 'postgres' ? ' OVERRIDING SYSTEM VALUE' : '';
  }

  async add(table: Table, values: SqlValue[]): Promise<void> {
    if (table !== this.#table) await this.begin(table);
    this.#waiting.push(values);
    this.#weight += weightOf(values);
    if (this.#waiting.length === ROWS) await this.#insert(this.#waiting.splice(0));
    else if (this.#weight >= WEIGHT) await this.flush();
  }

  /** Keeps the rows that the table has. */
  async continue(table: Table): Promise<void> {
    await this.flush();
    this.#table = table;
  }

  /** Deletes the rows that triggers made while earlier tables were filled: the backup has them too. */
  async begin(table: Table): Promise<void> {
    await this.flush();
    this.#table = table;
    await this.#tx.run(`DELETE FROM ${quote(table.table)}`);
  }

  async flush(): Promise<void> {
    // One row per statement: each number of rows would be a new prepared statement.
    for (const values of this.#waiting.splice(0)) await this.#insert([values]);
  }

  async #insert(rows: readonly SqlValue[][]): Promise<void> {
    const { table, columns } = this.#table as Table;
    let parameter = 0;
    const tuples = rows.map(() => `(${columns.map(() => `$${++parameter}`).join(', ')})`);
    await this.#tx.run(`INSERT INTO ${quote(table)} (${columns.map(quote).join(', ')})${this.#overriding} VALUES ${tuples.join(', ')}`, rows.flat());
    this.#weight = 0;
  }
}

/** Lets PostgreSQL continue its own numbering after the inserted numbers. */
export async function continueIdentities(tx: Transaction): Promise<void> {
  const columns = await tx.all<{ table_name: string; column_name: string }>(
    "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES'",
  );
  for (const { table_name: table, column_name: column } of columns)
    await tx.all(
      `SELECT setval(pg_get_serial_sequence('${quote(table)}', '${column}'), MAX(${quote(column)})) FROM ${quote(table)} HAVING MAX(${quote(column)}) IS NOT NULL`,
    );
}
