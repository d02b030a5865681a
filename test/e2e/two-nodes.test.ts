// Two nodes behind HAProxy over a PostgreSQL with a standby, as setups/two-nodes starts them: what one revokes the other refuses, and either may be lost.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'undici';
import { test } from 'uvu';
import { freePort } from '../postgres.ts';
import { until } from '../runtime.ts';
import { type Answer, type Ask, asker, temporaryFolder } from '../server.ts';
import { postgresFolder, skipWithout } from '../system.ts';
import { root } from './started.ts';

/** Of each kind; `GATEHOUSE_REVOCATIONS=1000` for a long run. */
const REVOCATIONS = Number(process.env['GATEHOUSE_REVOCATIONS'] ?? 15);
/** The time that HAProxy needs to see that a node is gone, and the clients of a lost database to come back. */
const GONE_MS = 15_000;
const PASSWORD = 'a new password';
/** An address that is no proxy: a node is asked itself from it. */
const PLAIN = '127.0.0.2';

interface Nodes {
  readonly child: ChildProcess;
  readonly folder: string;
  /** Through HAProxy, each request on a connection of its own. */
  readonly both: Ask;
  readonly one: Ask;
  readonly other: Ask;
  /** Through HAProxy, from an address that no other client has. */
  readonly elsewhere: Ask;
  pid(name: string): number;
}

async function startNodes(): Promise<Nodes> {
  const folder = temporaryFolder();
  const [https, kmip] = [await freePort(), await freePort()];
  // A free port and those behind it, of which nothing else on the machine makes use at the same time.
  const base = 20_000 + (process.pid % 400) * 30;
  const env = { ...process.env, HTTPS_PORT: String(https), KMIP_PORT: String(kmip), BASE_PORT: String(base), GATEHOUSE_AUTH_LOGIN_RATE_PER_SECOND: '100' };
  const child = spawn('setups/two-nodes/start.sh', [folder], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  await until(() => output.includes('two-nodes: https://') || child.exitCode !== null, 'the nodes are there', 60_000);
  assert.equal(child.exitCode, null, output);
  const ca = readFileSync(join(folder, 'ca.pem'), 'utf8');
  const at = (port: number, localAddress: string, more = {}) => asker(`https://127.0.0.1:${port}`, new Agent({ connect: { ca }, localAddress, ...more }));
  return {
    ...{ child, folder },
    both: at(https, '127.0.0.1', { pipelining: 0 }),
    elsewhere: at(https, '127.0.0.9'),
    one: at(base + 11, PLAIN),
    other: at(base + 21, PLAIN),
    pid: (name) => Number(readFileSync(join(folder, `${name}.pid`), 'utf8')),
  };
}

async function ok(answer: Promise<Answer>): Promise<Answer> {
  const { status, text } = await answer;
  assert.ok(status < 300, `${status} ${text}`);
  return answer;
}

const whoami = (ask: Ask, cookie: string) => ask('GET', '/whoami', { cookie });
async function signIn(ask: Ask): Promise<{ id: string; cookie: string }> {
  const { body, cookie } = await ok(ask('POST', '/login?realm=_', { user: `admin:${PASSWORD}` }));
  return { id: body.session_id, cookie: cookie as string };
}

if (!skipWithout('postgresql') && !skipWithout('haproxy')) {
  let nodes: Nodes;
  let cookie: string;
  test.before(async () => {
    nodes = await startNodes();
    const initial = readFileSync(join(nodes.folder, 'node1', 'initial-password'), 'utf8').trim();
    cookie = (await ok(nodes.both('POST', '/login?realm=_', { user: `admin:${initial}`, body: { new_password: PASSWORD } }))).cookie as string;
  });
  test.after(async () => {
    if (!nodes) return;
    nodes.child.kill('SIGTERM');
    if (nodes.child.exitCode === null && nodes.child.signalCode === null) await once(nodes.child, 'exit');
    rmSync(nodes.folder, { recursive: true, force: true });
  });

  test('clients keep their addresses through HAProxy', async () => {
    const refused = await nodes.elsewhere('POST', '/login?realm=_', { user: 'admin:a wrong password' });
    assert.equal(refused.status, 401);
    const { body } = await ok(nodes.one('GET', '/audit?limit=1000', { cookie }));
    assert.equal(
      body.events.some(({ outcome, source }: { outcome: string; source: string }) => outcome === 'refused' && source === '127.0.0.9'),
      true,
      JSON.stringify(body),
    );
  });

  test('a session, a token and a key that one node has revoked are refused by the other at once', async () => {
    const { one, other } = nodes;
    await ok(one('POST', '/auth/approle/role/both', { cookie, body: { bind_secret_id: false } }));
    const roleId = (await ok(one('GET', '/auth/approle/role/both/role-id', { cookie }))).body.data.role_id;
    for (let at = 0; at < REVOCATIONS; at++) {
      const session = await signIn(one);
      const token = (await ok(other('POST', '/auth/approle/login', { body: { role_id: roleId } }))).body.auth.client_token;
      const kid = (await ok(one('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } }))).body.kid;
      const own = (action: string) => ({ method: action === 'revoke' ? 'POST' : 'GET', path: `/auth/token/${action}-self` }) as const;
      const ask = (from: Ask, action: string) => from(own(action).method, own(action).path, { headers: { 'x-app-token': token } });
      const encrypt = () => other('POST', '/v1/crypto/encrypt', { cookie, body: { kid, alg: 'dir', enc: 'A256GCM', data: 'AAAA' } });
      await Promise.all([ok(whoami(other, session.cookie)), ok(ask(other, 'lookup')), ok(encrypt())]);
      await Promise.all([
        ok(one('DELETE', '/sessions', { cookie, body: { session_ids: [session.id] } })),
        ok(ask(one, 'revoke')),
        ok(one('DELETE', `/v1/crypto/keys/${kid}`, { cookie })),
      ]);
      const used = await Promise.all([whoami(other, session.cookie), ask(other, 'lookup'), encrypt()]);
      assert.deepEqual(
        used.map(({ status }) => status),
        [401, 403, 404],
        used.map(({ text }) => text).join(),
      );
    }
  });

  test('a node that is killed takes only its own requests with it', async () => {
    process.kill(nodes.pid('node1'), 'SIGKILL');
    // Until HAProxy has seen it a connection may still be lost; afterwards none is.
    await until(
      async () => (await Promise.all(Array.from({ length: 8 }, () => whoami(nodes.both, cookie).catch(() => undefined)))).every((each) => each?.status === 200),
      'HAProxy has seen it',
      GONE_MS,
    );
    for (let at = 0; at < 40; at++) await ok(whoami(nodes.both, cookie));
  });

  test('the database is lost: /ready says so; its standby has every session and none that was ended', async () => {
    const { other } = nodes;
    const ended = await signIn(other);
    await ok(other('DELETE', '/sessions', { cookie, body: { session_ids: [ended.id] } }));
    process.kill(nodes.pid('primary'), 'SIGQUIT');
    await until(async () => (await other('GET', '/ready')).status === 503, '/ready tells it', GONE_MS);
    assert.equal((await whoami(other, cookie)).status, 503);
    const isRoot = process.getuid?.() === 0;
    const promote = [join(postgresFolder() as string, 'pg_ctl'), 'promote', '-D', join(nodes.folder, 'postgresql', 'standby')];
    const { status, stderr } = isRoot
      ? spawnSync('setpriv', ['--reuid=postgres', '--regid=postgres', '--init-groups', ...promote], { cwd: '/', encoding: 'utf8' })
      : spawnSync(promote[0] as string, promote.slice(1), { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    await until(async () => (await other('GET', '/ready')).status === 200, 'the nodes are ready again', GONE_MS);
    assert.deepEqual([(await whoami(other, cookie)).status, (await whoami(other, ended.cookie)).status], [200, 401]);
    await until(async () => (await whoami(nodes.both, cookie).catch(() => undefined))?.status === 200, 'HAProxy sends requests again', GONE_MS);
    await ok(other('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } }));
  });

  test('what the script has started ends with it', async () => {
    const pids = ['haproxy', 'standby', 'node2'].map((name) => nodes.pid(name));
    nodes.child.kill('SIGTERM');
    await once(nodes.child, 'exit');
    assert.deepEqual(
      pids.filter((pid) => existsSync(`/proc/${pid}`)),
      [],
    );
  });
}

test.run();
