// `--backup`: everything in the store at one moment, in one file, without the root key; another gatehouse may be serving it.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { migrationSets } from '../catalog/migrations.ts';
import { createClock } from '../clock.ts';
import { type ConfigureOptions, configure } from '../configure.ts';
import { dataKeyRows } from '../data-key-row.ts';
import { openDataKeys, overwrite } from '../keyring.ts';
import { storeUrl } from '../prepare-store.ts';
import { migrationLevels } from '../store/migrate.ts';
import { openStore } from '../store/open.ts';
import { openSnapshot } from '../store/snapshot.ts';
import { BackupError, FORMAT, FORMAT_VERSION } from './format.ts';
import { migrationsAt, tablesOf } from './schema.ts';
import { writeBackup } from './write.ts';

export interface JobOptions extends ConfigureOptions {
  readonly version: string;
}

/** All backups of a store write one audit stream, one after the other. */
const WRITER = 'backup';
const LOCK = 'gatehouse backup';

/**
 * @param file that is not there yet
 * @returns what was done, in words
 * @throws ConfigError, BackupError for what the operator has to mend
 */
export async function backUp(options: JobOptions, file: string): Promise<string> {
  const { config, catalog, dataDir: folder } = await configure(options);
  const dataDir = resolve(folder);
  const path = resolve(file);
  const url = storeUrl(config.store.url, dataDir);
  if (url.startsWith('sqlite:') && !existsSync(url.slice('sqlite:'.length)))
    throw new BackupError(`there is no database ${url.slice('sqlite:'.length)} to back up`);
  if (existsSync(path)) throw new BackupError(`${path} is there already: a backup never replaces a file`);
  await record(url, path);
  const snapshot = await openSnapshot(url);
  try {
    const migrations = await migrationLevels(snapshot);
    const tables = tablesOf(migrationsAt(migrations, migrationSets(catalog.plugins), 'the database'));
    const opened = await openDataKeys({ dataDir, configured: config.store.root_key }, await dataKeyRows(snapshot));
    const dataKey = opened?.keys.get('auth')?.bytes;
    if (!opened || !dataKey) throw new BackupError(`the root key (store.root_key, or root.key in ${dataDir}) does not open the data keys of the database`);
    const header = { format: FORMAT, version: FORMAT_VERSION, server: options.version, made_at: Date.now(), root_key: opened.root.id, migrations } as const;
    const written = await writeBackup(path, { header, tables, snapshot, dataKey });
    overwrite(opened);
    return `gatehouse: ${written} rows of ${tables.length} tables are in ${path}; the root key that opens it, ${opened.root.id}, is not: keep it apart`;
  } finally {
    await snapshot.close();
  }
}

/** A copy of everything leaves: that is in the audit log, of the copy too. */
async function record(url: string, path: string): Promise<void> {
  const store = await openStore(url, { writer: WRITER, clock: createClock() });
  try {
    await store.transaction((tx) => tx.audit({ event: 'server.backup', outcome: 'success', target: path }), { lock: LOCK });
  } catch (error) {
    throw isNoTable(error) ? new BackupError('the database has no tables of gatehouse yet: there is nothing to back up') : error;
  } finally {
    await store.close();
  }
}

function isNoTable(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string };
  return code === '42P01' || /^no such table/.test(String(message));
}
