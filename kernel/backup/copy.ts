// `--copy-store`: copies the whole store into another database and compares every row. A copy that was interrupted goes on where it stopped.
import { migrationSets } from '../catalog/migrations.ts';
import { createClock } from '../clock.ts';
import { configure } from '../start/configure.ts';
import { openDataDir } from '../start/data-dir.ts';
import { lockDatabase } from '../start/database-lock.ts';
import { nodeName } from '../start/prepare-store.ts';
import { type MigrationSet, migrationLevels } from '../store/migrate.ts';
import { openStore } from '../store/open.ts';
import { openSnapshot, type Snapshot } from '../store/snapshot.ts';
import type { SqlValue } from '../store/store.ts';
import { openableStoreUrl } from '../store/store-url.ts';
import { type JobOptions, requireDatabase } from './back-up.ts';
import { compareTable } from './compare.ts';
import { CopyTarget } from './copy-target.ts';
import { BackupError } from './format.ts';
import { weightOf } from './insert.ts';
import { jobOf } from './job-failure.ts';
import { type KeyedTable, migrationsAt, NODE_LEASES, requireStore, tablesOf } from './schema.ts';
import { selectInOrder } from './select.ts';

/** Limits of what is written in one transaction: rows, and bytes and characters. */
const ROWS = 2_048;
const WEIGHT = 8_388_608;
/** Their rows say that the database is a store, so they come last. */
const LAST = 'migration';

/**
 * The flag gives the address of the other database, in the form of `[store] url`.
 * @param tell gets a line for each table
 * @returns text that tells the operator the result
 * @throws ConfigError, BackupError for problems that the operator can fix; the source is never changed
 */
export async function copyStore(options: JobOptions, tell: (line: string) => void): Promise<string> {
  const { config, catalog, dataDir: folder, copyStore: to = '' } = await configure(options);
  const warnings: string[] = [];
  // Held, so that no server of this folder writes meanwhile.
  const dataDir = openDataDir(folder, (warning) => warnings.push(`\ngatehouse: ${warning}`));
  const unlocks: (() => void)[] = [];
  try {
    const [from, target] = [openableStoreUrl(config.store.url, dataDir.path), openableStoreUrl(to, dataDir.path, '--copy-store')];
    if (from === target) throw new BackupError('--copy-store names the database of [store] url itself; name another database');
    requireDatabase(from, 'copy');
    unlocks.push(lockDatabase(from));
    unlocks.push(lockDatabase(target, '--copy-store'));
    const copy = { from, to: target, node: nodeName(dataDir.path), plugins: migrationSets(catalog.plugins), tell };
    const { rows, tables } = await jobOf('the copy', () => copyAll(copy));
    return `gatehouse: copied ${rows} rows of ${tables} tables and compared each; set [store] url to the new database, keep the root key, and start${warnings.join('')}`;
  } finally {
    for (const unlock of unlocks) unlock();
    dataDir.release();
  }
}

/** What other servers write during the copy would be missing in it. */
async function refuseOthers(snapshot: Snapshot): Promise<void> {
  const others = await snapshot.all("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'gatehouse'");
  if (others.length > 0) throw new BackupError('servers use the database: stop all of them first, because what they write during the copy would be lost');
}

interface Copy {
  readonly from: string;
  readonly to: string;
  readonly node: string;
  readonly plugins: readonly MigrationSet[];
  tell(line: string): void;
}

async function copyAll({ from, to, node, plugins, tell }: Copy): Promise<{ rows: number; tables: number }> {
  const source = await openSnapshot(from);
  try {
    if (source.dialect === 'postgres') await refuseOthers(source);
    await requireStore(source, source.dialect, 'copy');
    const migrations = migrationsAt(await migrationLevels(source), plugins, 'the database');
    const tables = tablesOf(migrations);
    const last = tables.find(({ table }) => table === LAST) as KeyedTable;
    const others = tables.filter((table) => table !== last && table.table !== NODE_LEASES);
    const store = await jobOf('the copy', () => openStore(to, { writer: `${node}/kernel`, clock: createClock() }), '--copy-store');
    try {
      const target = await jobOf('the copy', () => CopyTarget.open(store, migrations, tables), '--copy-store');
      await compareArrived(source, to, others, target);
      for (const table of others) tell(`gatehouse: ${table.table}: ${await copyTable(source, target, table)} rows copied`);
      const rows = await compareAll(source, to, others);
      const levels = await rowsOf(source, last);
      await target.finish(last, levels);
      return { rows: rows + levels.length, tables: tables.length };
    } finally {
      await store.close();
    }
  } finally {
    await source.close();
  }
}

/** @returns the number of rows of the table */
async function copyTable(source: Snapshot, target: CopyTarget, table: KeyedTable): Promise<number> {
  let waiting: SqlValue[][] = [];
  let weight = 0;
  for await (const values of selectInOrder(source, table, { skipped: target.done(table) })) {
    waiting.push([...values]);
    weight += weightOf(values);
    if (waiting.length < ROWS && weight < WEIGHT) continue;
    await target.append(table, waiting);
    [waiting, weight] = [[], 0];
  }
  await target.append(table, waiting);
  return target.done(table);
}

/** A server may have written to the source since the copy was interrupted: further rows would not fit those that have arrived. @throws BackupError for the first row that differs */
async function compareArrived(source: Snapshot, url: string, tables: readonly KeyedTable[], target: CopyTarget): Promise<void> {
  const arrived = tables.filter((table) => target.done(table) > 0);
  if (arrived.length === 0) return;
  const copy = await openSnapshot(url);
  try {
    for (const table of arrived) await compareTable(table, source, copy, target.done(table));
  } finally {
    await copy.close();
  }
}

/** @returns the number of rows @throws BackupError for the first row that differs */
async function compareAll(source: Snapshot, url: string, tables: readonly KeyedTable[]): Promise<number> {
  const copy = await openSnapshot(url);
  try {
    let rows = 0;
    for (const table of tables) rows += await compareTable(table, source, copy);
    return rows;
  } finally {
    await copy.close();
  }
}

async function rowsOf(source: Snapshot, table: KeyedTable): Promise<SqlValue[][]> {
  const rows: SqlValue[][] = [];
  for await (const values of selectInOrder(source, table)) rows.push([...values]);
  return rows;
}
