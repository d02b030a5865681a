// Whether files and folders of the server are what they have to be: where a file to mount is missing, containers leave a folder, and nothing says so.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './config/config-error.ts';

type Kind = 'file' | 'folder';

/** What the server makes in its data folder at every start. The root key, the database and the certificates are told by whoever reads them. */
const FILES = ['lock', 'node', 'probe', 'initial-password'];

/** @returns what is wrong with what lies there; undefined if it has that kind, if nothing is there, and for what cannot be looked at: its reader says why */
export function kindProblem(path: string, kind: Kind): string | undefined {
  const isFolder = isFolderAt(path);
  if (isFolder === undefined || isFolder === (kind === 'folder')) return undefined;
  return `${path} is ${isFolder ? 'a folder, where a file' : 'a file, where a folder'} belongs; move it away`;
}

/** @returns what lies in the data folder and cannot be what the server makes there */
export function wrongKinds(dataDir: string): readonly string[] {
  return FILES.flatMap((name) => kindProblem(join(dataDir, name), 'file') ?? []);
}

/** @returns the same for the certificate that the server makes for itself */
export function wrongTlsKinds(dataDir: string): readonly string[] {
  const folder = kindProblem(join(dataDir, 'tls'), 'folder');
  return folder === undefined ? ['cert.pem', 'key.pem'].flatMap((name) => kindProblem(join(dataDir, 'tls', name), 'file') ?? []) : [folder];
}

/** @throws ConfigError for each */
export function refuseWrongKinds(problems: readonly string[]): void {
  if (problems.length > 0) throw new ConfigError(problems.map((text) => `data folder: ${text}`));
}

function isFolderAt(path: string): boolean | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory();
  } catch {
    return undefined;
  }
}
