// Locks a SQLite database for one server: a second one, from another data folder, would go on with sessions and keys that the first has revoked.
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ConfigError } from '../config/config-error.ts';
import { diskTrouble } from '../disk/disk-trouble.ts';
import { lockFile } from '../disk/file-lock.ts';
import { databaseFile } from '../store/store-url.ts';

/**
 * @param url of an existing folder; PostgreSQL has several servers, and needs no lock
 * @param where the setting that names it, for messages
 * @returns releases the lock
 * @throws ConfigError if another process holds it
 */
export function lockDatabase(url: string, where = 'store.url'): () => void {
  const file = databaseFile(url);
  if (file === undefined) return () => {};
  const path = placeOf(file);
  const lock = held(`${path}.lock`, where);
  if (!lock) throw new ConfigError([`${where}: another gatehouse uses ${path}; stop that one, or use PostgreSQL, which several servers can share`]);
  return () => lock.release();
}

/** The same by whatever name the file is opened. */
function placeOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
}

function held(path: string, where: string): ReturnType<typeof lockFile> {
  try {
    return lockFile(path);
  } catch (error) {
    throw new ConfigError([`${where}: ${path} cannot be locked (${diskTrouble(error) ?? (error as Error).message})`]);
  }
}
