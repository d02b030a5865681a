// Checks the database: whether it can be opened, is sound, and new enough; of PostgreSQL also whether its clock agrees with this machine, and what its user may do.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Reader } from '../../kernel/store/store.ts';
import { databaseFile, driverUrl } from '../../kernel/store/store-url.ts';
import { type Check, type Finding, type Installation, ok, problem, warning } from './finding.ts';
import { rightsIn } from './postgres-rights.ts';

const MIN_POSTGRES = 150_000;
const CONNECT_MS = 5_000;
/** Sessions and leases of several machines compare their times. */
const MAX_DRIFT_MS = 5_000;

export const checkDatabase: Check = (installation) => {
  const { config, dataDir } = installation;
  const file = databaseFile(config.store.url);
  // As a start finds it: always in the data folder.
  return file === undefined ? postgres(installation) : sqlite(join(dataDir, file), installation);
};

/** What a start finds in the tables. */
async function checkStored(installation: Installation, from: Pick<Reader, 'all'>): Promise<Finding[]> {
  // Loaded here only: every command would wait for them.
  const [{ checkLevels }, { checkRootKey }] = await Promise.all([import('./levels.ts'), import('./root-key.ts')]);
  return [...(await checkLevels(installation, from)), ...(await checkRootKey(installation, from))];
}

/** Reads only; a running server goes on meanwhile. */
async function sqlite(path: string, installation: Installation): Promise<Finding[]> {
  if (!existsSync(path)) return [ok('database', `${path} is not there yet; the first start makes it`)];
  try {
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      const { quick_check: says } = db.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
      const rows = { all: async <T extends object>(sql: string) => db.prepare(sql).all() as T[] };
      if (says === 'ok') return [ok('database', `${path} is sound`), ...(await checkStored(installation, rows))];
      return [problem('database', `${path} is damaged: ${says}`, 'stop the server, keep a copy of the file, and restore the last backup: gatehouse restore')];
    } finally {
      db.close();
    }
  } catch (error) {
    return [
      problem('database', `${path} cannot be opened: ${(error as Error).message}`, 'look at its owner and mode; if it is damaged, restore the last backup'),
    ];
  }
}

async function postgres(installation: Installation): Promise<Finding[]> {
  // Loaded here only: every command would wait for it.
  const { Client } = await import('pg');
  const client = new Client({ connectionString: driverUrl(installation.config.store.url), connectionTimeoutMillis: CONNECT_MS, query_timeout: CONNECT_MS });
  try {
    await client.connect();
    const { rows } = await client.query<{ version: number; now: Date }>(
      `SELECT current_setting('server_version_num')::int AS version, clock_timestamp() AS now`,
    );
    const { version, now } = rows[0] as { version: number; now: Date };
    const drift = Math.abs(now.getTime() - Date.now());
    return [
      version < MIN_POSTGRES
        ? problem('database', `PostgreSQL ${Math.floor(version / 10_000)} is too old`, 'use PostgreSQL 15 or newer')
        : ok('database', `PostgreSQL ${Math.floor(version / 10_000)} answers`),
      ...(drift > MAX_DRIFT_MS
        ? [warning('clock', `this machine and the database differ by ${Math.round(drift / 1_000)} s`, 'let both get their time from the network (NTP)')]
        : []),
      ...(await rightsIn(client)),
      ...(await checkStored(installation, { all: async <T extends object>(sql: string) => (await client.query<T>(sql)).rows })),
    ];
  } catch (error) {
    // The address holds a password; what the driver says does not.
    return [problem('database', `PostgreSQL cannot be used: ${(error as Error).message}`, 'look at [store] url, the network, and the log of PostgreSQL')];
  } finally {
    await client.end().catch(() => {});
  }
}
