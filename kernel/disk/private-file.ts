// Creates files and folders that only the server's user can access, whatever the umask is, and writes files atomically.
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Writes a file with mode 0600 atomically: even after a power failure it is complete or does not exist. */
export function writePrivateFile(path: string, text: string): void {
  const temporary = `${path}.new`;
  // A file left by an interrupted write, or put there by somebody else, may have another mode.
  rmSync(temporary, { force: true });
  const file = openSync(temporary, 'wx', FILE_MODE);
  try {
    fill(file, dirname(path), text);
  } catch (error) {
    removeLeft(temporary);
    throw namingFile(temporary, error);
  }
  renameDurably(temporary, path);
}

/**
 * What root makes in a folder of another user becomes that user's, as with `--reset-admin` for a service: it could not read the file, and would not start.
 * Where root may not give it away, as in a container without capabilities, it stays root's.
 */
export function giveToOwnerOf(folder: string, file: number): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  if (uid === 0) return;
  try {
    fchownSync(file, uid, gid);
  } catch {}
}

function fill(file: number, folder: string, text: string): void {
  try {
    giveToOwnerOf(folder, file);
    fchmodSync(file, FILE_MODE);
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Removes what a failed write has left. What could not be made may not be looked for either, and that is not why it failed. */
export function removeLeft(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}

/** Node names the file where a path was given, but not for an open file: on a full disk the operator would not learn which. */
export function namingFile(path: string, error: unknown): unknown {
  const { code, message, path: named } = error as NodeJS.ErrnoException;
  return code === undefined || named !== undefined ? error : Object.assign(error as Error, { path, message: `${message} '${path}'` });
}

/** Creates an empty file with mode 0600, for a library that would create it with the umask. An existing file is not changed. */
export function createPrivateFile(path: string): void {
  try {
    const file = openSync(path, 'wx', FILE_MODE);
    giveToOwnerOf(dirname(path), file);
    fchmodSync(file, FILE_MODE);
    closeSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Sets the mode of a new file to 0600, because the umask may have removed bits that the owner needs. */
export function makePrivate(file: number): void {
  fchmodSync(file, FILE_MODE);
}

/** Creates a folder with mode 0700, and its missing parents. An existing folder is not changed. @returns whether it was created */
export function createPrivateFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return false;
    // Node's own `recursive` tries for ever where a file system refuses with ENOENT what lies in a folder that is there, such as /proc.
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    createPrivateFolder(dirname(path));
    return createPrivateFolder(path);
  }
  chmodSync(path, FOLDER_MODE);
  return true;
}

/** Creates a folder in the data folder, with mode 0700 and the data folder's owner. An existing folder is not changed. */
export function createFolderWithin(path: string): void {
  if (!createPrivateFolder(path) || process.geteuid?.() !== 0) return;
  const folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  giveToOwnerOf(dirname(path), folder);
  closeSync(folder);
}

/** Renames a file so that after a power failure it has either the old or the new name. */
export function renameDurably(from: string, to: string): void {
  renameSync(from, to);
  const folder = openSync(dirname(to), 'r');
  fsyncSync(folder);
  closeSync(folder);
}
