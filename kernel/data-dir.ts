// The data folder: made with mode 0700, held by one server at a time.
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from './config/load.ts';

interface DataDir {
  readonly path: string;
  release(): void;
}

/**
 * @throws ConfigError when the folder cannot be made or written, others can read it, or another server holds it
 */
export function openDataDir(given: string): DataDir {
  const path = resolve(given);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new ConfigError([`data folder ${path}: cannot be made (${(error as NodeJS.ErrnoException).code})`]);
  }
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o700);
  const lock = holdLock(path);
  return { path, release: () => lock.close() };
}

/** A lock that the operating system drops with the process, whatever ends it: that of a small database. */
function holdLock(path: string): DatabaseSync {
  try {
    const lock = new DatabaseSync(join(path, 'lock'), { timeout: 0 });
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    const { errcode, message } = error as { errcode?: number; message: string };
    throw new ConfigError([errcode === 5 ? `data folder ${path}: another gatehouse is using it` : `data folder ${path}: cannot be locked (${message})`]);
  }
}

/** Writes a file of mode 0600 so that it is there whole or not at all, also after a loss of power. */
export function writePrivateFile(path: string, text: string): void {
  const temporary = `${path}.new`;
  const file = openSync(temporary, 'w', 0o600);
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  renameDurably(temporary, path);
}

/** Renames a file so that a loss of power leaves it under one of both names. */
export function renameDurably(from: string, to: string): void {
  renameSync(from, to);
  const folder = openSync(dirname(to), 'r');
  fsyncSync(folder);
  closeSync(folder);
}
