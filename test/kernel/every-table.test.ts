// Copies and backups leave nothing out: every column of every table that the migrations make is filled, and compared row by row in the other database.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'uvu';
import { backUp } from '../../kernel/backup/back-up.ts';
import { copyStore } from '../../kernel/backup/copy.ts';
import { restore } from '../../kernel/backup/restore.ts';
import { type KeyedTable, migrationsAt, tablesOf } from '../../kernel/backup/schema.ts';
import { migrationSets } from '../../kernel/catalog/migrations.ts';
import { withKernel } from '../../kernel/store/migrate.ts';
import type { Dialect, SqlValue } from '../../kernel/store/store.ts';
import { BUILT_IN } from '../../plugins/index.ts';
import { startServer, temporaryFolder } from '../server.ts';
import { testDatabases } from '../stores.ts';
import { columnsOf, FULL, fillAll, rowsOf, withStore } from './generated-rows.ts';

const databases = await testDatabases();
const folder = temporaryFolder();
const sets = migrationSets(BUILT_IN);
const levels = Object.fromEntries(withKernel(sets).flatMap(({ owner, migrations }) => (migrations.length > 0 ? [[owner, migrations.length]] : [])));
const tables = tablesOf(migrationsAt(levels, sets, 'the database'));
/** So many that PostgreSQL counts the objects of an owner with room in advance. */
const ROWS = 300;
let places = 0;

test.after(async () => {
  for (const database of databases) await database.stop();
  rmSync(folder, { recursive: true });
});

/** A data folder with the root key of all, and a database that nothing has been in. */
async function place(dialect: Dialect) {
  const dataDir = join(folder, `data${++places}`);
  mkdirSync(dataDir, { mode: 0o700 });
  const url = dialect === 'sqlite' ? `sqlite:${join(dataDir, 'gatehouse.db')}` : ((await databases.find((each) => each.dialect === dialect)?.url()) as string);
  const config = `[store]\nurl = "${dialect === 'sqlite' ? 'sqlite:gatehouse.db' : url}"\n`;
  const file = join(folder, `config${places}.toml`);
  writeFileSync(file, config);
  return { dataDir, url, config, options: { plugins: BUILT_IN, version: '0.0.0-test', argv: ['--config', file, '--data-dir', dataDir], env: {} } };
}

type Place = Awaited<ReturnType<typeof place>>;

function shareRootKey({ dataDir: from }: Place, { dataDir: to }: Place): void {
  copyFileSync(join(from, 'root.key'), join(to, 'root.key'));
}

/** A file is named from the data folder. */
const addressFrom = ({ dataDir }: Place, { url }: Place): string =>
  url.startsWith('sqlite:') ? `sqlite:${relative(dataDir, url.slice('sqlite:'.length))}` : url;

/** Not what a job writes of itself. */
const isOfJob = (table: string, values: readonly SqlValue[]): boolean =>
  table === 'audit' && values.some((value) => typeof value === 'string' && /^server\.(backup|copy|restore)$/.test(value));

const rowsAt = async ({ url }: Place, table: KeyedTable) =>
  ((await rowsOf(url, [table])).get(table.table) ?? []).filter((values) => !isOfJob(table.table, values));

/** Leases are of the nodes that run. */
const LEFT = 'node_lease';

async function requireSame(from: Place, to: Place, emptied: readonly string[] = []): Promise<void> {
  for (const table of tables) {
    const [rows, copied] = [await rowsAt(from, table), await rowsAt(to, table)];
    const least = emptied.includes(table.table) ? 0 : FULL.has(table.table) ? 1 : ROWS;
    assert.ok(rows.length >= least, `${table.table} has only ${rows.length} rows`);
    assert.deepEqual(copied, table.table === LEFT ? [] : rows, table.table);
  }
}

const sources = new Map<Dialect, Promise<Place>>();

/** The store of this dialect in which every table has rows. */
function filled(dialect: Dialect): Promise<Place> {
  const known = sources.get(dialect) ?? fill(dialect);
  sources.set(dialect, known);
  return known;
}

async function fill(dialect: Dialect): Promise<Place> {
  const source = await place(dialect);
  const server = await startServer({ dataDir: source.dataDir, config: source.config });
  await server.end();
  await withStore(source.url, (store) => fillAll(store, tables, ROWS));
  return source;
}

for (const { dialect } of databases) {
  test(`${dialect}: the migrations make the tables and columns that backups and copies go by`, async () => {
    const { url } = await filled(dialect);
    await withStore(url, async (store) => {
      for (const { table, columns } of tables) assert.deepEqual((await columnsOf(store, table)).map(({ name }) => name).sort(), [...columns].sort(), table);
      const made = await store.all<{ name: string }>(
        dialect === 'sqlite'
          ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
          : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()',
      );
      assert.deepEqual(made.map(({ name }) => name).sort(), tables.map(({ table }) => table).sort());
    });
  });

  for (const { dialect: other } of databases) {
    test(`every row of a backup of ${dialect} is in ${other} again`, async () => {
      const [source, target] = [await filled(dialect), await place(other)];
      const file = join(folder, `${places}.backup`);
      await backUp(source.options, file);
      shareRootKey(source, target);
      await restore(target.options, file);
      await requireSame(source, target);
    });

    test(`every row of ${dialect} is in a copy on ${other}`, async () => {
      const [source, target] = [await filled(dialect), await place(other)];
      await copyStore({ ...source.options, argv: [...source.options.argv, '--copy-store', addressFrom(source, target)] }, () => {});
      await requireSame(source, target);
    });
  }
}

/** Triggers write them while the rows of other tables arrive. SQLite counts without room: there it has no rows. */
const COUNTED = ['auth_usage', 'kms_usage', 'kms_usage_room'];

for (const { dialect } of databases)
  for (const { dialect: other } of databases)
    test(`what is counted of a store on ${dialect} without rows for it has none on ${other} either`, async () => {
      const [source, backedUp, copied] = [await filled(dialect), await place(other), await place(other)];
      await withStore(source.url, (store) => store.transaction(async (tx) => void (await Promise.all(COUNTED.map((table) => tx.run(`DELETE FROM ${table}`))))));
      const file = join(folder, `${places}.backup`);
      await backUp(source.options, file);
      shareRootKey(source, backedUp);
      await restore(backedUp.options, file);
      await requireSame(source, backedUp, COUNTED);
      await copyStore({ ...source.options, argv: [...source.options.argv, '--copy-store', addressFrom(source, copied)] }, () => {});
      await requireSame(source, copied, COUNTED);
    });

test.run();
