// The npm package: installed from its tarball into an empty folder and as a global command, it starts, signs in, makes a key, seals and opens, and stops.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'undici';
import { test } from 'uvu';
import { buildFacts, versionOf } from '../../packaging/build-facts.ts';
import { makeNpmPackage } from '../../packaging/npm.ts';
import { exitOf } from '../e2e/started.ts';
import { until } from '../runtime.ts';
import { type Ask, asker, temporaryFolder } from '../server.ts';
import { build, firstSteps, opensAgain, type Sealed } from './story.ts';

const folder = temporaryFolder();
const tarball = makeNpmPackage(join(folder, 'out'));
const LOCAL = join(folder, 'local');
const GLOBAL = join(folder, 'global');
/** ONNX Runtime would fetch libraries for graphics cards. */
const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' };
const FLAGS = ['--no-audit', '--no-fund', '--loglevel=error'];

test.after(() => rmSync(folder, { recursive: true }));

async function withServer(command: string, cwd: string, use: (ask: Ask) => Promise<void>): Promise<void> {
  const child: ChildProcess = spawn(command, ['start', '--port', '0', '--data-dir', join(folder, 'data')], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (output += data));
  await until(() => output.includes('is ready at') || child.exitCode !== null, 'the server is ready', 60_000);
  const address = /is ready at (https:\S+)/.exec(output)?.[1];
  assert.ok(address, output);
  const agent = new Agent({ connect: { ca: readFileSync(join(folder, 'data/tls/cert.pem'), 'utf8') } });
  try {
    await use(asker(address, agent));
  } finally {
    await agent.close();
    child.kill('SIGTERM');
  }
  assert.equal(await exitOf(child), 0, output);
}

let sealed: Sealed;

test('npm install in an empty folder brings the command and the pinned Node; the server does its work', async () => {
  mkdirSync(LOCAL);
  execFileSync('npm', ['init', '-y'], { cwd: LOCAL, env, stdio: 'ignore' });
  execFileSync('npm', ['install', ...FLAGS, tarball], { cwd: LOCAL, env, stdio: 'inherit' });
  const command = join(LOCAL, 'node_modules/.bin/gatehouse');
  const says = (...args: string[]) => execFileSync(command, args, { cwd: LOCAL, encoding: 'utf8' });
  assert.equal(says('--version').trim(), versionOf());
  assert.match(says('start', '--help'), /^usage: gatehouse start \[flags\]$/m);
  assert.match(says('model', '--help'), /^usage: gatehouse model list$/m);
  await withServer(command, LOCAL, async (ask) => {
    sealed = await firstSteps(ask, readFileSync(join(folder, 'data/initial-password'), 'utf8').trim());
    const facts = await build(ask);
    const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { dependencies: Record<string, string> };
    assert.deepEqual([facts['package'], facts['commit'], facts['node']], ['npm', buildFacts('npm').commit, dependencies['node']]);
  });
});

test('npm install -g brings the command; what the local installation sealed opens', async () => {
  execFileSync('npm', ['install', '-g', '--prefix', GLOBAL, ...FLAGS, tarball], { env, stdio: 'inherit' });
  await withServer(join(GLOBAL, 'bin/gatehouse'), folder, async (ask) => {
    await opensAgain(ask, sealed);
    for (const path of ['/sign-in', '/interactive-docs', '/ai', '/openapi.yaml']) assert.notEqual((await ask('GET', path)).status, 404, path);
  });
});

test.run();
