// Which tables and columns a store has at given migrations, found by applying them to a database in memory.
import { DatabaseSync } from 'node:sqlite';
import { MIGRATION_TABLE, type Migration, type MigrationSet, sqlOf, withKernel } from '../store/migrate.ts';
import type { Dialect } from '../store/store.ts';
import { BackupError, type Levels, type Table } from './format.ts';

/**
 * The migrations that make a store of these levels.
 * @param what is at these levels, in words: `the database`
 * @throws BackupError for an owner that is not there, or a level above what is known of it
 */
export function migrationsAt(levels: Levels, plugins: readonly MigrationSet[], what: string): readonly Migration[] {
  const sets = withKernel(plugins);
  for (const [owner, level] of Object.entries(levels)) {
    const known = sets.find((set) => set.owner === owner)?.migrations.at(-1)?.id;
    if (known === undefined) throw new BackupError(`${what} has tables of the plugin ${owner}, which is not configured here`);
    if (level > known) throw new BackupError(`${what} has migration ${owner}/${level}, this gatehouse knows ${known}: it is of a newer version`);
  }
  return sets.flatMap(({ owner, migrations }) => migrations.filter(({ id }) => id <= (levels[owner] ?? 0)));
}

/** In the order in which they were made, so that a row comes after those it refers to. */
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

/** A name as both databases understand it, also where it is a word of SQL. */
export function quoted(name: string): string {
  return `"${name.toLowerCase().replaceAll('"', '""')}"`;
}
