// Lays out a package in a folder: the program as JavaScript with the layout of the sources, its package.json, and the facts of the build.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { BuildFacts } from '../kernel/build-facts.ts';
import { buildFacts } from './build-facts.ts';
import { emittedPath, javaScriptOf } from './emit.ts';
import { programFiles, ROOT } from './program.ts';

/** Fields of package.json that say what the program is and needs. Scripts and development dependencies are of the clone. */
const KEPT = ['name', 'version', 'description', 'private', 'license', 'type', 'engines', 'dependencies', 'optionalDependencies', 'allowScripts'] as const;
const CLIENT = 'client/index.ts';

/** @param folder is made; @param kind of package */
export function stage(folder: string, kind: BuildFacts['package'], root = ROOT): void {
  for (const path of programFiles(root)) put(root, path, folder);
  const hasClient = existsSync(join(root, CLIENT));
  if (hasClient) putTypes(root, folder);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(packageJson(root, hasClient), null, 2)}\n`);
  writeFileSync(join(folder, 'build.json'), `${JSON.stringify(buildFacts(kind, root), null, 2)}\n`);
}

function put(root: string, path: string, folder: string): void {
  const to = join(folder, emittedPath(path));
  mkdirSync(dirname(to), { recursive: true });
  if (path.endsWith('.ts')) writeFileSync(to, javaScriptOf(readFileSync(join(root, path), 'utf8'), path));
  else cpSync(join(root, path), to);
}

function packageJson(root: string, hasClient: boolean): Readonly<Record<string, unknown>> {
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  const kept = Object.fromEntries(KEPT.flatMap((field) => (field in own ? [[field, own[field]]] : [])));
  const client = { types: './client/index.d.ts', default: './client/index.js' };
  return {
    ...kept,
    bin: { gatehouse: 'bin/gatehouse.mjs' },
    // Nothing else can be imported from outside; plugins of others get their context from the server.
    exports: { './package.json': './package.json', ...(hasClient ? { './client': client } : {}) },
  };
}

/** Declarations of the client and of what its types use. They import each other by the names of what is made of the sources. */
function putTypes(root: string, folder: string): void {
  const made = mkdtempSync(join(tmpdir(), 'gatehouse-types-'));
  const settings = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false', '--rootDir', root, '--outDir', made];
  const compiler = ['--target', 'es2024', '--module', 'nodenext', '--types', 'node', '--strict', '--allowImportingTsExtensions', '--skipLibCheck'];
  const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['--ignoreConfig', ...settings, ...compiler, join(root, CLIENT)], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the types of the client cannot be made:\n${stdout}`);
  for (const path of globSync('**/*.d.ts', { cwd: made })) {
    const text = readFileSync(join(made, path), 'utf8').replace(/((?:from |import\()['"]\.{1,2}\/[^'"]*)\.ts(?=['"])/g, '$1.js');
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  rmSync(made, { recursive: true });
}
