// Data of an older version open in this one: made by the first release, or before there is one, by the oldest commit with the same dependencies.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'undici';
import { test } from 'uvu';
import { firstSteps, opensAgain, PASSWORD, type Sealed } from '../packages/story.ts';
import { until } from '../runtime.ts';
import { asker, temporaryFolder } from '../server.ts';
import { exitOf, integrity, root, rowsOf, type Started, start } from './started.ts';

const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim();

/** @returns a name for git; undefined in a clone without history */
function olderVersion(): string | undefined {
  const [release] = git('tag', '--list', 'v[0-9]*', '--sort=version:refname').split('\n');
  return release || git('log', '-1', '--format=%H', '--', 'package-lock.json') || undefined;
}

const folder = temporaryFolder();
const old = join(folder, 'old');
const dataDir = join(folder, 'data');
test.after(() => rmSync(folder, { recursive: true }));

function layOut(version: string): void {
  mkdirSync(old);
  execFileSync('tar', ['-x', '-C', old], { input: execFileSync('git', ['archive', version], { cwd: root, maxBuffer: 500_000_000 }) });
  const lock = (from: string) => readFileSync(join(from, 'package-lock.json'), 'utf8');
  if (lock(old) === lock(root)) symlinkSync(join(root, 'node_modules'), join(old, 'node_modules'));
  else execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: old, env: { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' } });
}

function launchOld(): { readonly child: ChildProcess; readonly output: { text: string } } {
  const args = ['launch.mjs', 'start', '--data-dir', dataDir, '--port', '0'];
  const child = spawn(process.execPath, args, { cwd: old, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output.text += data));
  return { child, output };
}

async function startOld(): Promise<Started> {
  const { child, output } = launchOld();
  await until(() => /is ready at/.test(output.text) || child.exitCode !== null, 'the older server is ready', 60_000);
  const address = /is ready at (https:\S+)/.exec(output.text)?.[1];
  assert.ok(address, output.text);
  const ca = readFileSync(join(dataDir, 'tls', 'cert.pem'), 'utf8');
  return { child, address, ask: asker(address, new Agent({ connect: { ca } })), output };
}

async function stop({ child, output }: Started): Promise<void> {
  child.kill('SIGTERM');
  assert.equal(await exitOf(child), 0, output.text);
}

const migrations = () => rowsOf<{ owner: string; id: number }>(join(dataDir, 'gatehouse.db'), 'SELECT owner, id FROM migration ORDER BY owner, id');
const user = { username: 'ada', password_input: { plaintext: 'ada own password' }, roles: ['staff'] };

interface Kept {
  readonly sealed: Sealed;
  readonly cookie: string;
  readonly token: string;
  readonly audited: number;
}

/** What an older server leaves: a key and what it sealed, a realm with a user, a session, a role with a token. */
async function live({ ask }: Started): Promise<Kept> {
  const sealed = await firstSteps(ask, readFileSync(join(dataDir, 'initial-password'), 'utf8').trim());
  const cookie = (await ask('POST', '/login?realm=_', { user: `admin:${PASSWORD}` })).cookie as string;
  assert.equal((await ask('POST', '/admins/realms', { cookie, body: { id: 'team', auth_params: {} } })).status, 201);
  assert.equal((await ask('POST', '/realms/team/userpass', { cookie, body: user })).status, 201);
  assert.equal((await ask('POST', '/auth/approle/role/web', { cookie, body: { token_ttl: 36_000 } })).status, 204);
  const role_id = (await ask('GET', '/auth/approle/role/web/role-id', { cookie })).body.data.role_id;
  const secret_id = (await ask('POST', '/auth/approle/role/web/secret-id', { cookie })).body.data.secret_id;
  const token = (await ask('POST', '/auth/approle/login', { body: { role_id, secret_id } })).body.auth.client_token;
  return { sealed, cookie, token, audited: (await ask('GET', '/audit?limit=1000', { cookie })).body.events.length };
}

const version = olderVersion();
if (version === undefined) console.log('skipped: upgrade.test.ts needs the history of the repository');
else
  test(`what ${version.slice(0, 12)} has made works on: keys, people, sessions, tokens, the audit log`, async () => {
    layOut(version);
    const before = await startOld();
    const kept = await live(before);
    await stop(before);
    const known = await migrations();
    cpSync(dataDir, join(folder, 'untouched'), { recursive: true });

    const now = await start(dataDir);
    const { cookie } = kept;
    await opensAgain(now.ask, kept.sealed);
    assert.equal((await now.ask('GET', '/whoami', { cookie })).status, 200, 'the session goes on');
    assert.equal((await now.ask('POST', '/login?realm=team', { user: 'ada:ada own password' })).body.next_step, 'Authenticated');
    const lookup = await now.ask('GET', '/auth/token/lookup-self', { headers: { 'x-app-token': kept.token } });
    assert.equal(lookup.status, 200, lookup.text);
    const events = (await now.ask('GET', '/audit?limit=1000', { cookie })).body.events as { event: string }[];
    assert.ok(events.length >= kept.audited && events.some(({ event }) => event === 'realm.create'));
    await stop(now);
    assert.equal(await integrity(join(dataDir, 'gatehouse.db')), 'ok');

    // Back again: refused with a sentence if this version has changed tables, and the data from before the upgrade still open.
    const added = (await migrations()).length - known.length;
    if (added > 0) {
      const { child, output } = launchOld();
      assert.equal(await exitOf(child), 1);
      assert.match(output.text, /cannot start: the database has migration \w+\/\d+, but this version knows migrations up to/);
    }
    rmSync(dataDir, { recursive: true });
    cpSync(join(folder, 'untouched'), dataDir, { recursive: true });
    const again = await startOld();
    await opensAgain(again.ask, kept.sealed);
    await stop(again);
    assert.ok(existsSync(join(dataDir, 'gatehouse.db')));
  });

test.run();
