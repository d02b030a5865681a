// `--restore`: reads a backup into an empty store, completely or not at all, after the whole file was checked.
import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { migrationSets } from '../catalog/migrations.ts';
import { createClock } from '../clock.ts';
import type { DataKeyRow } from '../keys/data-key-row.ts';
import { openDataKeys, overwrite } from '../keys/keyring.ts';
import { type RootKeySource, rootKeyPath, rootKeys } from '../keys/root-key.ts';
import { configure } from '../start/configure.ts';
import { openDataDir } from '../start/data-dir.ts';
import { nodeName } from '../start/prepare-store.ts';
import { MIGRATION_LOCK, type Migration, type MigrationSet } from '../store/migrate.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { databaseFile, openableStoreUrl } from '../store/store-url.ts';
import type { JobOptions } from './back-up.ts';
import { BackupError, type End, type Header, isMac, type Table } from './format.ts';
import { continueIdentities, Inserter } from './insert.ts';
import { jobOf } from './job-failure.ts';
import { readBackup } from './read.ts';
import { migrationsAt, NODE_LEASES, requireEmpty, schemaSql, tablesOf } from './schema.ts';

interface Examined {
  readonly header: Header;
  readonly end: End;
  readonly migrations: readonly Migration[];
  readonly tables: readonly Table[];
}

/**
 * @returns text that tells the operator the result
 * @throws ConfigError, BackupError for problems that the operator can fix; the store is then unchanged
 */
export async function restore(options: JobOptions, file: string): Promise<string> {
  const { config, catalog, dataDir: folder } = await configure(options);
  const path = resolve(file);
  const source = { dataDir: resolve(folder), configured: config.store.root_key };
  const examined = await examine(path, source, migrationSets(catalog.plugins));
  const warnings: string[] = [];
  const dataDir = openDataDir(folder, (warning) => warnings.push(`\ngatehouse: ${warning}`));
  try {
    const url = openableStoreUrl(config.store.url, dataDir.path);
    await jobOf('the restore', () => fill(url, nodeName(dataDir.path), path, examined));
  } finally {
    dataDir.release();
  }
  const { made_at: madeAt, server } = examined.header;
  return `gatehouse: restored ${examined.end.rows} rows from the backup of ${new Date(madeAt).toISOString()} (gatehouse ${server}); start the server to use them${warnings.join('')}`;
}

/** Checks the whole file before anything is written. */
async function examine(path: string, source: RootKeySource, plugins: readonly MigrationSet[]): Promise<Examined> {
  const found: { header?: Header; migrations: readonly Migration[]; tables: readonly Table[] } = { migrations: [], tables: [] };
  const dataKeys: DataKeyRow[] = [];
  const end = await readBackup(path, {
    header(header) {
      const migrations = migrationsAt(header.migrations, plugins, 'the backup');
      Object.assign(found, { header, migrations, tables: tablesOf(migrations) });
    },
    row(table, values) {
      if (table.table === 'data_key') dataKeys.push(Object.fromEntries(table.columns.map((column, at) => [column, values[at]])) as unknown as DataKeyRow);
      return undefined;
    },
    table({ table, columns }) {
      const known = found.tables.find((candidate) => candidate.table === table);
      if (known?.columns.join() !== columns.join())
        throw new BackupError(`${path} is damaged: its migrations do not make the table ${table} as it is in the file`);
      return undefined;
    },
  });
  const header = found.header as Header;
  const dataKey = await openWith(source, dataKeys, header);
  if (!isMac(dataKey, end)) throw new BackupError(`${path} was changed after it was made: its signature does not match; use an unchanged copy of the backup`);
  dataKey.fill(0);
  return { ...found, header, end };
}

async function openWith(source: RootKeySource, rows: readonly DataKeyRow[], { root_key: needed }: Header): Promise<Uint8Array> {
  const opened = rows.length === 0 ? undefined : await openDataKeys(source, rows);
  const dataKey = new Uint8Array(opened?.keys.get('auth')?.bytes ?? []);
  if (opened) overwrite(opened);
  if (dataKey.length > 0) return dataKey;
  const present = [...rootKeys(source)].map(({ id }) => id);
  if (present.length === 0)
    throw new BackupError(
      `the backup needs the root key ${needed}, and there is none here; put it into ${rootKeyPath(source.dataDir)} or configure it as [store] root_key`,
    );
  throw new BackupError(`the root key here is ${present.join(' or ')}, which does not open the data keys of the backup; use the root key ${needed}`);
}

async function fill(url: string, node: string, path: string, examined: Examined): Promise<void> {
  const database = databaseFile(url);
  const isNew = database !== undefined && !existsSync(database);
  const store = await openStore(url, { writer: `${node}/kernel`, clock: createClock() });
  let isDone = false;
  try {
    await insertAll(store, path, examined);
    isDone = true;
  } finally {
    await store.close();
    if (!isDone && isNew) for (const suffix of ['', '-wal', '-shm']) rmSync(`${database}${suffix}`, { force: true });
  }
}

function insertAll(store: Store, path: string, { migrations, tables, end }: Examined): Promise<void> {
  return store.transaction(
    async (tx) => {
      await requireEmpty(tx, store.dialect, tables, 'the store', 'a restore never overwrites data, so use a new data folder or a new database');
      for (const sql of schemaSql(migrations, store.dialect)) await tx.exec(sql);
      const inserter = new Inserter(tx, store.dialect);
      // Also of a table without rows: triggers may have made some.
      const read = await readBackup(path, {
        table: (table) => inserter.begin(table),
        row: (table, values) => (table.table === NODE_LEASES ? undefined : inserter.add(table, values)),
      });
      await inserter.flush();
      if (read.sha256 !== end.sha256 || read.mac !== end.mac)
        throw new BackupError(`${path} was changed while it was read; try again when nobody writes to it`);
      if (store.dialect === 'postgres') await continueIdentities(tx);
      await tx.audit({ event: 'server.restore', outcome: 'success', target: path, reason: `backup ${end.sha256}` });
    },
    { lock: MIGRATION_LOCK },
  );
}
