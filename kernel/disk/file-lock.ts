// A lock between processes: a small SQLite database, because the operating system releases its lock however the process ends.
import { DatabaseSync } from 'node:sqlite';
import { createPrivateFile } from './private-file.ts';

/** SQLITE_BUSY. */
const BUSY = 5;

export interface FileLock {
  release(): void;
}

/** @returns undefined if another process holds the lock @throws Error if the file cannot be made or locked */
export function lockFile(path: string): FileLock | undefined {
  createPrivateFile(path);
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return { release: () => lock.close() };
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === BUSY) return undefined;
    throw error;
  }
}
