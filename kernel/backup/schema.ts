// Finds the tables and columns that given migrations make, by applying them to a database in memory.
import { DatabaseSync } from 'node:sqlite';
import { MIGRATION_TABLE, type Migration, type MigrationSet, sqlOf, withKernel } from '../store/migrate.ts';
import type { Dialect } from '../store/store.ts';
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

/** @returns the tables in the order of their creation, so that a row comes after the rows that it refers to */
export function tablesOf(migrations: readonly Migration[]): readonly Table[] {
  const db = new DatabaseSync(':memory:');
  try {
    for (const sql of schemaSql(migrations, 'sqlite')) db.exec(sql);
    const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid").all();
    return names.map(({ name }) => ({
      table: String(name),
      columns: db
        .prepare('SELECT name FROM pragma_table_info(?)')
        .all(name as string)
        .map((column) => String(column['name'])),
    }));
  } finally {
    db.close();
  }
}

export function schemaSql(migrations: readonly Migration[], dialect: Dialect): readonly string[] {
  return [MIGRATION_TABLE, ...migrations.map((migration) => sqlOf(migration, dialect))];
}

/** Quotes a name for both databases, so that it may be a keyword of SQL. */
export function quote(name: string): string {
  return `"${name.toLowerCase().replaceAll('"', '""')}"`;
}
