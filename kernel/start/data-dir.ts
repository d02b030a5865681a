// Opens the data folder: creates it with mode 0700 and locks it, so that one server at a time uses it.
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from '../config/config-error.ts';
import { diskTrouble } from '../disk/disk-trouble.ts';
import { type FileLock, lockFile } from '../disk/file-lock.ts';
import { createPrivateFolder } from '../disk/private-file.ts';
import { kindProblem, refuseWrongKinds, wrongKinds } from '../file-kind.ts';

interface DataDir {
  readonly path: string;
  release(): void;
}

/** Names of files that show that a folder is a data folder of gatehouse. */
const OURS = ['node', 'lock', 'root.key', 'gatehouse.db', 'initial-password', 'tls'];

/**
 * If other users can read the folder, it gets mode 0700 and the operator is warned. But a folder with files that are not gatehouse's is refused.
 * @param warn gets warnings for the operator
 * @throws ConfigError if the folder cannot be created or written, is readable by others and holds foreign files, or another server uses it
 */
export function openDataDir(given: string, warn: (message: string) => void): DataDir {
  const path = resolve(given);
  if (!makeFolder(path)) close(path, warn);
  refuseWrongKinds(wrongKinds(path));
  const lock = holdLock(path);
  return { path, release: () => lock.release() };
}

function makeFolder(path: string): boolean {
  const problem = kindProblem(path, 'folder');
  if (problem !== undefined) throw new ConfigError([`data folder: ${problem}, or name another one with --data-dir`]);
  try {
    return createPrivateFolder(path);
  } catch (error) {
    throw new ConfigError([`data folder ${path}: cannot be created (${diskTrouble(error) ?? (error as NodeJS.ErrnoException).code})`]);
  }
}

function close(path: string, warn: (message: string) => void): void {
  const mode = statSync(path).mode & 0o7777;
  if ((mode & 0o077) === 0) return;
  const was = `other users could read it (mode ${mode.toString(8).padStart(4, '0')})`;
  try {
    const names = readdirSync(path);
    if (names.length > 0 && !names.some((name) => OURS.includes(name)))
      throw new ConfigError([`data folder ${path}: ${was}, and it holds files that are not gatehouse's; use a separate folder, or give this one mode 0700`]);
    chmodSync(path, 0o700);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined
      ? error
      : new ConfigError([`data folder ${path}: ${was}, and its mode cannot be changed to 0700 (${code}); change it, or use another folder`]);
  }
  warn(`data folder ${path}: ${was}; its mode is now 0700`);
}

function holdLock(path: string): FileLock {
  const lock = lockOf(path);
  if (lock) return lock;
  throw new ConfigError([`data folder ${path}: another gatehouse is using it; stop that one, or set --data-dir to another folder`]);
}

function lockOf(path: string): FileLock | undefined {
  try {
    return lockFile(join(path, 'lock'));
  } catch (error) {
    throw new ConfigError([`data folder ${path}: cannot be locked (${diskTrouble(error) ?? (error as Error).message})`]);
  }
}
