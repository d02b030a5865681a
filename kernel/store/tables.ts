// The tables that are in a database.
import type { Dialect, Reader } from './store.ts';

const NAMES: Readonly<Record<Dialect, string>> = {
  sqlite: "SELECT name FROM sqlite_master WHERE type = 'table'",
  postgres: 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()',
};

/** @returns their names; PostgreSQL's are in lower case */
export async function tableNames(reader: Pick<Reader, 'all'>, dialect: Dialect): Promise<ReadonlySet<string>> {
  const rows = await reader.all<{ name: string }>(NAMES[dialect]);
  return new Set(rows.map(({ name }) => name));
}
