// Finds the tables and columns that given migrations make, by applying them to a database in memory.
import { DatabaseSync } from 'node:sqlite';
import { encodingProblem } from '../store/encoding.ts';
import { IS_UNFINISHED, MIGRATION_TABLE, type Migration, type MigrationSet, sqlOf, UNFINISHED_COPY, withKernel } from '../store/migrate.ts';
import type { Dialect, Reader } from '../store/store.ts';
import { tableNames } from '../store/tables.ts';
import { BackupError, type Levels, type Table } from './format.ts';

/**
 * @param what the thing that has these levels, for messages: `the database`
 * @returns the migrations up to these levels
 * @throws BackupError for an unknown owner, or a level above the last known migration
 */
export function migrationsAt(levels: Levels, plugins: readonly MigrationSet[], what: string): readonly Migration[] {
  const sets = withKernel(plugins);
  for (const [owner, level] of Object.entries(levels)) {
    const known = sets.find((set) => set.owner === owner)?.migrations.at(-1)?.id;
    if (known === undefined) throw new BackupError(`${what} has tables of the plugin ${owner}, which is not configured here; add it to [[plugins]]`);
    if (level > known)
      throw new BackupError(
        `${what} has migration ${owner}/${level}, but this version knows migrations up to ${owner}/${known}; use the newer version that made it`,
      );
  }
  return sets.flatMap(({ owner, migrations }) => migrations.filter(({ id }) => id <= (levels[owner] ?? 0)));
}

/** Its rows are those of running nodes, and stay where they are: a node that starts over others waits for nodes that are not there. */
export const NODE_LEASES = 'node_lease';

/** A table with the columns that tell its rows apart: those of its primary key, or all. */
export interface KeyedTable extends Table {
  readonly key: readonly { readonly name: string; readonly isText: boolean }[];
}

/** @returns the tables in the order of their creation, so that a row comes after the rows that it refers to */
export function tablesOf(migrations: readonly Migration[]): readonly KeyedTable[] {
  const db = new DatabaseSync(':memory:');
  try {
    for (const sql of schemaSql(migrations, 'sqlite')) db.exec(sql);
    const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid").all();
    return names.map(({ name }) => keyedTable(db, String(name)));
  } finally {
    db.close();
  }
}

function keyedTable(db: DatabaseSync, table: string): KeyedTable {
  const found = db.prepare('SELECT name, type, pk FROM pragma_table_info(?)').all(table);
  const columns = found.map(({ name, type, pk }) => ({ name: String(name), isText: type === 'TEXT', place: Number(pk) }));
  const key = columns.filter(({ place }) => place > 0).sort((a, b) => a.place - b.place);
  return { table, columns: columns.map(({ name }) => name), key: key.length > 0 ? key : columns };
}

/** @throws BackupError if the database has one of these tables, or does not keep every text */
export async function requireEmpty(reader: Pick<Reader, 'all'>, dialect: Dialect, tables: readonly Table[], what: string, why: string): Promise<void> {
  const problem = await encodingProblem(reader, dialect);
  if (problem !== undefined) throw new BackupError(problem);
  const present = await tableNames(reader, dialect);
  const taken = tables.find(({ table }) => present.has(dialect === 'postgres' ? table.toLowerCase() : table));
  if (taken) throw new BackupError(`${what} is not empty: it has the table ${taken.table}; ${why}`);
}

/** @param verb what is to be done with it: `copy` @throws BackupError if the database is no store yet: what is read of it would be nothing or half of it */
export async function requireStore(reader: Pick<Reader, 'all'>, dialect: Dialect, verb: string): Promise<void> {
  const present = await tableNames(reader, dialect);
  if (present.has(UNFINISHED_COPY)) throw new BackupError(IS_UNFINISHED);
  if (!present.has('migration')) throw new BackupError(`the database has no tables of gatehouse yet, so there is nothing to ${verb}`);
}

export function schemaSql(migrations: readonly Migration[], dialect: Dialect): readonly string[] {
  return [MIGRATION_TABLE, ...migrations.map((migration) => sqlOf(migration, dialect))];
}

/** Quotes a name for both databases, so that it may be a keyword of SQL. */
export function quote(name: string): string {
  return `"${name.toLowerCase().replaceAll('"', '""')}"`;
}
