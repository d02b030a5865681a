// Reads `[store] url`: which database, and which file of the data folder.
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../config/load.ts';

const SQLITE = 'sqlite:';

/** @returns what is wrong with a URL; undefined if nothing is */
export function storeUrlProblem(url: string): string | undefined {
  if (url === SQLITE) return 'must name a file in the data folder: sqlite:gatehouse.db';
  return url.startsWith(SQLITE) || /^postgres(ql)?:/.test(url) ? undefined : 'must begin with sqlite: or postgres://';
}

/** @param url as given in `where` @returns the URL, with an absolute path for SQLite @throws ConfigError for one that is none */
export function storeUrl(url: string, dataDir: string, where = 'store.url'): string {
  const problem = storeUrlProblem(url);
  if (problem !== undefined) throw new ConfigError([`${where}: ${problem}`]);
  return url.startsWith(SQLITE) ? `${SQLITE}${join(dataDir, url.slice(SQLITE.length))}` : url;
}

/** Like `storeUrl`, for a data folder that is there. @throws ConfigError also if no database file can be where the URL says */
export function openableStoreUrl(url: string, dataDir: string, where = 'store.url'): string {
  const full = storeUrl(url, dataDir, where);
  if (!full.startsWith(SQLITE)) return full;
  const path = full.slice(SQLITE.length);
  const folder = dirname(path);
  const isFolder = (each: string) => statSync(each, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder(folder)) throw new ConfigError([`${where}: there is no folder ${folder} for the database file; make it, or name another place`]);
  if (isFolder(path)) throw new ConfigError([`${where}: ${path} is a folder; name a file`]);
  return full;
}
