// What the launcher installs, and when, in a made-up clone with a made-up npm.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { temporaryFolder } from './server.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Package {
  readonly version: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
}
type Packages = Readonly<Record<string, Package>>;

const MANDATORY: Packages = { 'node_modules/a': { version: '1.0.0' } };
const DEV: Packages = { 'node_modules/tests': { version: '1.0.0', dev: true } };
const OPTIONAL: Packages = { 'node_modules/native': { version: '1.0.0', optional: true } };
const FOREIGN: Packages = { 'node_modules/elsewhere': { version: '1.0.0', optional: true, os: ['another system'] } };

/** Notes its arguments; installs nothing, as if no package compiled. */
const NPM = `import { appendFileSync } from 'node:fs';
appendFileSync('npm.log', process.argv.slice(2).join(' ') + '\\n');
process.exit(Number(process.env.NPM_STATUS ?? 0));
`;

/** @returns a start in a clone with these packages: what it printed, and how npm was called */
function clone(wanted: Packages, present: Packages) {
  const folder = temporaryFolder();
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  for (const path of ['node_modules/node/bin', 'kernel/config', 'bin']) mkdirSync(join(folder, path), { recursive: true });
  for (const path of [
    'launch.mjs',
    'bin/pinned-node.mjs',
    'bin/node-flags.mjs',
    'kernel/config/forget-variables.mjs',
    'kernel/left-by-npm.mjs',
    'kernel/quick-imports.mjs',
  ])
    cpSync(join(root, path), join(folder, path));
  symlinkSync(process.execPath, join(folder, 'node_modules/node/bin/node'));
  write('main.ts', "console.log('started');\n");
  write('npm.mjs', NPM);
  write('npm.log', '');
  write('package-lock.json', JSON.stringify({ packages: { '': {}, ...wanted } }));
  write('node_modules/.package-lock.json', JSON.stringify({ packages: present }));
  return {
    start(status = 0) {
      write('npm.log', '');
      const env = { ...process.env, npm_execpath: join(folder, 'npm.mjs'), NPM_STATUS: String(status) };
      const { stdout } = spawnSync(process.execPath, ['launch.mjs', 'start'], { cwd: folder, env, encoding: 'utf8' });
      const asked = readFileSync(join(folder, 'npm.log'), 'utf8');
      return { isStarted: stdout.includes('started'), asked: asked === '' ? undefined : asked.split(' ').filter((flag) => !/^--(loglevel|no-)/.test(flag)) };
    },
    end: () => rmSync(folder, { recursive: true }),
  };
}

test('a new optional package is installed in an existing clone, once; without it the server starts', () => {
  const { start, end } = clone({ ...MANDATORY, ...OPTIONAL, ...FOREIGN }, MANDATORY);
  assert.deepEqual(start(1), { isStarted: true, asked: ['install', '--omit=dev'] });
  assert.deepEqual(start(), { isStarted: true, asked: ['install', '--omit=dev'] });
  assert.deepEqual(start(), { isStarted: true, asked: undefined });
  end();
});

test('packages of developers stay, a mandatory package is needed, a complete clone asks for nothing', () => {
  const developers = clone({ ...MANDATORY, ...DEV, ...OPTIONAL }, { ...MANDATORY, ...DEV });
  assert.deepEqual(developers.start(), { isStarted: true, asked: ['install'] });
  const incomplete = clone({ ...MANDATORY, ...DEV }, {});
  assert.deepEqual(incomplete.start(1), { isStarted: false, asked: ['install', '--omit=dev'] });
  const complete = clone({ ...MANDATORY, ...DEV, ...OPTIONAL, ...FOREIGN }, { ...MANDATORY, ...OPTIONAL });
  assert.deepEqual(complete.start(), { isStarted: true, asked: undefined });
  for (const { end } of [developers, incomplete, complete]) end();
});

test.run();
