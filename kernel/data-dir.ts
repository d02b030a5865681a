// The data folder: made with mode 0700, held by one server at a time.
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from './config/load.ts';
import { createPrivateFile, createPrivateFolder } from './private-file.ts';

interface DataDir {
  readonly path: string;
  release(): void;
}

/** What there is in a folder that a gatehouse has used, or that was made ready for one. */
const OURS = ['node', 'lock', 'root.key', 'gatehouse.db', 'initial-password', 'tls'];

/**
 * A folder that is empty or has been a data folder is closed to others, which is told; any other that they can read stays as it is.
 * @param warn takes what the operator has to know
 * @throws ConfigError when the folder cannot be made or written, is open to others and holds somebody else's files, or another server holds it
 */
export function openDataDir(given: string, warn: (message: string) => void): DataDir {
  const path = resolve(given);
  if (!made(path)) close(path, warn);
  const lock = holdLock(path);
  return { path, release: () => lock.close() };
}

function made(path: string): boolean {
  try {
    return createPrivateFolder(path);
  } catch (error) {
    throw new ConfigError([`data folder ${path}: cannot be made (${(error as NodeJS.ErrnoException).code})`]);
  }
}

function close(path: string, warn: (message: string) => void): void {
  const mode = statSync(path).mode & 0o7777;
  if ((mode & 0o077) === 0) return;
  const was = `others could read it (mode ${mode.toString(8).padStart(4, '0')})`;
  try {
    const names = readdirSync(path);
    if (names.length > 0 && !names.some((name) => OURS.includes(name)))
      throw new ConfigError([`data folder ${path}: ${was}, and it holds files that are not gatehouse's: name a folder of its own, or give this one mode 0700`]);
    chmodSync(path, 0o700);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new ConfigError([`data folder ${path}: ${was}, and cannot be given mode 0700 (${code})`]);
  }
  warn(`data folder ${path}: ${was}; it has mode 0700 now`);
}

/** A lock that the operating system drops with the process, whatever ends it: that of a small database. */
function holdLock(path: string): DatabaseSync {
  try {
    createPrivateFile(join(path, 'lock'));
    const lock = new DatabaseSync(join(path, 'lock'), { timeout: 0 });
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    const { errcode, message } = error as { errcode?: number; message: string };
    throw new ConfigError([errcode === 5 ? `data folder ${path}: another gatehouse is using it` : `data folder ${path}: cannot be locked (${message})`]);
  }
}
