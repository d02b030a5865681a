// Which files of the tree a package holds: the program and what it reads, without tests, benches and the tools of developers.
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the sources. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

const FOLDERS = ['kernel', 'actors', 'plugins', 'kmip', 'crypto', 'jose', 'text', 'command', 'client'];
const FILES = [
  'main.ts',
  'model.ts',
  'bin/gatehouse.mjs',
  'bin/pinned-node.mjs',
  'bin/node-flags.mjs',
  'config.toml',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
];
/** What the program runs and reads. A file of any other kind in these folders stops the build, so that nothing gets into a package by accident. */
const KINDS = /\.(ts|mts|mjs|js|json|css|html|svg|png|woff2)$/;
/** For the compiler of types only. */
const TYPES = /\.d\.m?ts$/;

/** @returns paths from the root */
export function programFiles(root = ROOT): readonly string[] {
  const inFolders = FOLDERS.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    globSync(`${folder}/**/*`, { cwd: root, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)),
  );
  const strange = inFolders.filter((path) => !KINDS.test(path));
  if (strange.length > 0) throw new Error(`not a kind of file that packages hold: ${strange.join(', ')}`);
  return [...FILES, ...inFolders.filter((path) => !TYPES.test(path)).sort()];
}
