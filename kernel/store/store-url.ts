// Reads `[store] url`: which database, and which file.
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../config/config-error.ts';
import { kindProblem } from '../file-kind.ts';
import { secondPlaceProblem } from './only-place.ts';

const SQLITE = 'sqlite:';
/** As node-postgres knows them. It reads the files when it connects, and another mode as one of these. */
const SSL_MODES: readonly string[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
/** Files that a server makes beside the database file, by their ends. */
const BESIDES = ['-wal', '-shm', '.lock'];
const SSL_FILES = ['sslrootcert', 'sslcert', 'sslkey'];

/** @returns the path of the database file as the URL has it; undefined for PostgreSQL */
export function databaseFile(url: string): string | undefined {
  return url.startsWith(SQLITE) ? url.slice(SQLITE.length) : undefined;
}

/** Whether opening the store would make a database file. @param folder that the URL is in; none for an absolute path */
export function isMissingFile(url: string, folder = ''): boolean {
  const file = databaseFile(url);
  return file !== undefined && !existsSync(join(folder, file));
}

/** @returns undefined for a text that is no URL */
function parametersOf(url: string): URLSearchParams | undefined {
  // The host may be missing, where a parameter names the folder of a socket.
  const whole = url.replace('@/', '@localhost/');
  return URL.canParse(whole, 'postgres://localhost') ? new URL(whole, 'postgres://localhost').searchParams : undefined;
}

/** @returns what is wrong with a URL; undefined if nothing is */
export function storeUrlProblem(url: string): string | undefined {
  if (url === SQLITE) return 'must name a file in the data folder: sqlite:gatehouse.db';
  if (url.startsWith(SQLITE)) return undefined;
  if (!/^postgres(ql)?:/.test(url)) return 'must begin with sqlite: or postgres://';
  if (SEVERAL_HOSTS.test(url)) return 'names several hosts: name one that moves with the primary, such as a proxy';
  const parameters = parametersOf(url);
  // Without the text: it may hold a password.
  if (!parameters) return 'is no URL: postgres://user:password@host:5432/database, with special characters as %40 and the like';
  const mode = parameters.get('sslmode');
  return mode === null || SSL_MODES.includes(mode) ? undefined : `sslmode must be one of ${SSL_MODES.join(', ')}`;
}

/** As libpq takes them, behind the user and the password. */
const SEVERAL_HOSTS = /^[^:]+:\/\/(?:[^/?#]*@)?[^@/?#]*,[^@/?#]*(?:[/?#]|$)/;

/** The path of a PostgreSQL URL, which is the name of the database. */
const DATABASE = /^(postgres(?:ql)?:\/\/[^/?#]*\/)([^?#]*)/;
/** The driver leaves these escaped in the name of a database, other than those of libpq do. A path may have them as they are. */
const LEFT_ESCAPED = /%(?:24|26|2B|2C|2F|3A|3B|3D|40)/gi;

/** @param url of PostgreSQL @returns the same with the name of the database as the driver reads it */
export function driverUrl(url: string): string {
  return url.replace(DATABASE, (_, before: string, name: string) => before + name.replaceAll(LEFT_ESCAPED, decodeURIComponent));
}

/** @param url as given in `where` @returns the URL, with an absolute path for SQLite @throws ConfigError for one that is none */
export function storeUrl(url: string, dataDir: string, where = 'store.url'): string {
  const problem = storeUrlProblem(url);
  if (problem !== undefined) throw new ConfigError([`${where}: ${problem}`]);
  const file = databaseFile(url);
  return file === undefined ? driverUrl(url) : `${SQLITE}${join(dataDir, file)}`;
}

/** Like `storeUrl`, for a data folder that is there. @throws ConfigError also if no database file can be where the URL says, and for a file of TLS that cannot be read */
export function openableStoreUrl(url: string, dataDir: string, where = 'store.url'): string {
  const full = storeUrl(url, dataDir, where);
  const path = databaseFile(full);
  if (path === undefined) {
    requireFiles(full, where);
    return full;
  }
  const folder = dirname(path);
  if (!isFolder(folder, where)) throw new ConfigError([`${where}: there is no folder ${folder} for the database file; make it, or name another place`]);
  if (isFolder(path, where)) throw new ConfigError([`${where}: ${path} is a folder; name a file`]);
  const second = secondPlaceProblem(path);
  if (second !== undefined) throw new ConfigError([`${where}: ${second}`]);
  const besides = BESIDES.flatMap((end) => kindProblem(path + end, 'file') ?? []);
  if (besides.length > 0) throw new ConfigError(besides.map((text) => `${where}: ${text}`));
  return full;
}

/**
 * SQLite says only that something is read-only, and makes its log with the mode of the database file: who corrects that one alone still cannot start.
 * @param url of an openable store @throws ConfigError for each file of it that this user may not read and write
 */
export function requireWritable(url: string, where = 'store.url'): void {
  const path = databaseFile(url);
  const closed = path === undefined ? [] : ['', ...BESIDES].flatMap((end) => rightProblem(path + end) ?? []);
  if (closed.length > 0) throw new ConfigError(closed.map((text) => `${where}: ${text}`));
}

function rightProblem(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES') return `this user may not read and write ${path} (EACCES): give it to the user of the server, with mode 0600`;
    return code === 'EROFS' ? `${path} is on a disk that is read-only (EROFS)` : undefined;
  }
}

/** @throws ConfigError for what cannot be looked at, such as a file in the folder of another user */
export function isFolder(path: string, where: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (error) {
    throw new ConfigError([`${where}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}); use the user of the server, or name another place`]);
  }
}

function requireFiles(url: string, where: string): void {
  const parameters = parametersOf(url);
  const unread = SSL_FILES.flatMap((name) => {
    const path = parameters?.get(name);
    if (!path) return [];
    try {
      readFileSync(path);
      return [];
    } catch (error) {
      return [`${where}: ${name}: ${(error as Error).message}`];
    }
  });
  if (unread.length > 0) throw new ConfigError(unread);
}
