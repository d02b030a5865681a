// Files and folders of the server's own: nobody else's, whatever the umask, and there whole or not at all.
import { chmodSync, closeSync, fchmodSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Writes a file of mode 0600 so that it is there whole or not at all, also after a loss of power. */
export function writePrivateFile(path: string, text: string): void {
  const temporary = `${path}.new`;
  // What an interrupted write has left, or somebody has put there, may have another mode.
  rmSync(temporary, { force: true });
  const file = openSync(temporary, 'wx', FILE_MODE);
  fchmodSync(file, FILE_MODE);
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  renameDurably(temporary, path);
}

/** Makes an empty file of mode 0600, for somebody who makes files as the umask says; one that is there stays as it is. */
export function createPrivateFile(path: string): void {
  try {
    const file = openSync(path, 'wx', FILE_MODE);
    fchmodSync(file, FILE_MODE);
    closeSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Gives a file that was just made its mode, which the umask may have made narrower than its owner needs. */
export function makePrivate(file: number): void {
  fchmodSync(file, FILE_MODE);
}

/** Makes a folder of mode 0700, and those above it that are missing; one that is there stays as it is. @returns whether it was made */
export function createPrivateFolder(path: string): boolean {
  const first = mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return false;
  chmodSync(path, FOLDER_MODE);
  return true;
}

/** Renames a file so that a loss of power leaves it under one of both names. */
export function renameDurably(from: string, to: string): void {
  renameSync(from, to);
  const folder = openSync(dirname(to), 'r');
  fsyncSync(folder);
  closeSync(folder);
}
