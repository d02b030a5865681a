// `--backup`: writes the whole store at one moment to one file, without the root key. A server may be using the store at the same time.
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { migrationSets } from '../catalog/migrations.ts';
import { createClock } from '../clock.ts';
import { dataKeyRows } from '../keys/data-key-row.ts';
import { openDataKeys, overwrite } from '../keys/keyring.ts';
import { type Configured, type ConfigureOptions, configure } from '../start/configure.ts';
import { migrationLevels } from '../store/migrate.ts';
import { openStore } from '../store/open.ts';
import { openSnapshot } from '../store/snapshot.ts';
import { databaseFile, openableStoreUrl, requireWritable, storeUrl } from '../store/store-url.ts';
import { BackupError, FORMAT, FORMAT_VERSION } from './format.ts';
import { jobOf } from './job-failure.ts';
import { migrationsAt, requireStore, tablesOf } from './schema.ts';
import { writeBackup } from './write.ts';

export interface JobOptions extends ConfigureOptions {
  readonly version: string;
}

/** All backups of a store share this audit stream. The lock keeps them from writing at the same time. */
const WRITER = 'backup';
const LOCK = 'gatehouse backup';

/**
 * @param file path of the new file
 * @param stop ends the backup, of which no file is left then
 * @returns text that tells the operator the result
 * @throws ConfigError, BackupError for problems that the operator can fix
 */
export async function backUp(options: JobOptions, file: string, stop?: AbortSignal): Promise<string> {
  const configured = await configure(options);
  const { store } = configured.config;
  const dataDir = resolve(configured.dataDir);
  const path = resolve(file);
  requireDatabase(storeUrl(store.url, dataDir), 'back up');
  const url = openableStoreUrl(store.url, dataDir);
  requireWritable(url);
  if (existsSync(path)) throw new BackupError(`${path} exists already, and a backup never replaces a file; name a new file`);
  return jobOf('the backup', () => writeAll({ ...configured, dataDir, url, path, version: options.version, stop }));
}

type Work = Pick<Configured, 'config' | 'catalog' | 'dataDir'> & {
  readonly url: string;
  readonly path: string;
  readonly version: string;
  readonly stop: AbortSignal | undefined;
};

async function writeAll(work: Work): Promise<string> {
  const { url, path } = work;
  await record(url, path, 'success');
  try {
    return await writeSnapshot(work);
  } catch (error) {
    // Of a database that is away as well the first failure is the one to tell.
    await record(url, path, 'failure').catch(() => {});
    throw error;
  }
}

async function writeSnapshot({ config, catalog, dataDir, url, path, version, stop }: Work): Promise<string> {
  const snapshot = await openSnapshot(url);
  try {
    const migrations = await migrationLevels(snapshot);
    const tables = tablesOf(migrationsAt(migrations, migrationSets(catalog.plugins), 'the database'));
    const opened = await openDataKeys({ dataDir, configured: config.store.root_key }, await dataKeyRows(snapshot));
    const dataKey = opened?.keys.get('auth')?.bytes;
    if (!opened || !dataKey) throw new BackupError(`the root key (store.root_key, or root.key in ${dataDir}) does not open the data keys of the database`);
    const header = { format: FORMAT, version: FORMAT_VERSION, server: version, made_at: Date.now(), root_key: opened.root.id, migrations } as const;
    const written = await writeBackup(path, { header, tables, snapshot, dataKey, stop });
    overwrite(opened);
    return `gatehouse: wrote ${written} rows of ${tables.length} tables to ${path}; a restore also needs the root key ${opened.root.id}, which is not in the file: store it elsewhere`;
  } finally {
    await snapshot.close();
  }
}

/** @throws BackupError if the file of a database in a file does not exist, or is in the folder of another user */
export function requireDatabase(url: string, to: string): void {
  const file = databaseFile(url);
  if (file !== undefined && !isThere(file)) throw new BackupError(`there is no database ${file} to ${to}; check --data-dir and store.url`);
}

function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw new BackupError(`the database ${file} cannot be read (${(error as NodeJS.ErrnoException).code}); run this as the user of the server`);
  }
}

/** A success is audited before the backup is made, so that the backup contains the row too; a failure after it takes it back. */
async function record(url: string, path: string, outcome: 'success' | 'failure'): Promise<void> {
  const store = await openStore(url, { writer: WRITER, clock: createClock() });
  try {
    await store.transaction(
      async (tx) => {
        // Before anything is written: a copy that has not finished could not go on.
        await requireStore(tx, store.dialect, 'back up');
        await tx.audit({ event: 'server.backup', outcome, target: path });
      },
      { lock: LOCK },
    );
  } finally {
    await store.close();
  }
}
