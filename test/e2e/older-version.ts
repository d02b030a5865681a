// An older version of the server, from the history of the repository: the first release, or the commit that brought today's dependencies if that is older.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'undici';
import { asker, WITHOUT_SELF_TESTS } from '../server.ts';
import { addressOf, root, type Started } from './started.ts';

const START_MS = 60_000;

const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim();

/** @returns a name for git, `GATEHOUSE_TEST_OLDER` if that is set; undefined in a clone without history */
export function olderVersion(): string | undefined {
  const [release] = git('tag', '--list', 'v[0-9]*', '--sort=version:refname').split('\n');
  const locked = git('log', '-1', '--format=%H', '--', 'package-lock.json');
  // Right after a release, nothing has changed that an upgrade from it could test.
  const isOlder = release && locked && spawnSync('git', ['merge-base', '--is-ancestor', locked, release], { cwd: root }).status === 0;
  return process.env['GATEHOUSE_TEST_OLDER'] || (isOlder ? locked : release || locked) || undefined;
}

/** Writes its files into a new folder, with its dependencies. */
export function layOut(version: string, folder: string): void {
  mkdirSync(folder);
  execFileSync('tar', ['-x', '-C', folder], { input: execFileSync('git', ['archive', version], { cwd: root, maxBuffer: 500_000_000 }) });
  const lock = (from: string) => readFileSync(join(from, 'package-lock.json'), 'utf8');
  if (lock(folder) === lock(root)) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  else execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, env: { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' } });
}

/** @param folder that it was laid out in */
export function launchOld(folder: string, dataDir: string, env: NodeJS.ProcessEnv = {}): { readonly child: ChildProcess; readonly output: { text: string } } {
  const args = ['launch.mjs', 'start', '--data-dir', dataDir, '--port', '0'];
  const child = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, ...WITHOUT_SELF_TESTS, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output.text += data));
  return { child, output };
}

export async function startOld(folder: string, dataDir: string, env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const { child, output } = launchOld(folder, dataDir, env);
  const address = await addressOf(child, output, START_MS);
  const ca = readFileSync(join(dataDir, 'tls', 'cert.pem'), 'utf8');
  return { child, address, ask: asker(address, new Agent({ connect: { ca } })), output };
}
