// Two nodes behind HAProxy over a PostgreSQL with a standby, as setups/two-nodes starts them: what one revokes the other refuses, and either may be lost.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { until } from '../runtime.ts';
import type { Answer, Ask } from '../server.ts';
import { postgresFolder, skipWithout } from '../system.ts';
import { type Nodes, startLoad, startNodes } from './two-nodes.ts';

/** Of each kind; `GATEHOUSE_REVOCATIONS=1000` for a long run. */
const REVOCATIONS = Number(process.env['GATEHOUSE_REVOCATIONS'] ?? 15);
/** The time that HAProxy needs to see that a node is gone, and the clients of a lost database to come back. */
const GONE_MS = 15_000;
const PASSWORD = 'a new password';
const LOAD_CLIENTS = 6;
/** Certificates and numbers of processes. */
const PUBLIC = /\.(csr|pid)$|^(ca|server)\.pem$/;

async function ok(answer: Promise<Answer>): Promise<Answer> {
  const { status, text } = await answer;
  assert.ok(status < 300, `${status} ${text}`);
  return answer;
}

const whoami = (ask: Ask, cookie: string) => ask('GET', '/whoami', { cookie });
/** Requests for /whoami that the node has answered. */
async function served(ask: Ask): Promise<number> {
  const rows = (await ask('GET', '/metrics')).text.split('\n').filter((row) => row.includes('request_duration_seconds_count{') && row.includes('"/whoami"'));
  return rows.reduce((sum, row) => sum + Number(row.slice(row.lastIndexOf(' '))), 0);
}
async function signIn(ask: Ask): Promise<{ id: string; cookie: string }> {
  const { body, cookie } = await ok(ask('POST', '/login?realm=_', { user: `admin:${PASSWORD}` }));
  return { id: body.session_id, cookie: cookie as string };
}

if (!skipWithout('postgresql') && !skipWithout('haproxy')) {
  let nodes: Nodes;
  let cookie: string;
  /** A key that the lost primary never had. */
  let madeLater: string;
  test.before(async () => {
    nodes = await startNodes();
    const initial = readFileSync(join(nodes.folder, 'node1', 'initial-password'), 'utf8').trim();
    cookie = (await ok(nodes.both('POST', '/login?realm=_', { user: `admin:${initial}`, body: { new_password: PASSWORD } }))).cookie as string;
  });
  test.after(async () => {
    await nodes?.end();
  });

  test('no other user of the machine can read what the script has written', () => {
    const files = readdirSync(nodes.folder, { withFileTypes: true }).filter((entry) => entry.isFile() && !PUBLIC.test(entry.name));
    assert.ok(files.some(({ name }) => name === 'node1.log'));
    const open = files.filter(({ name }) => (statSync(join(nodes.folder, name)).mode & 0o077) !== 0);
    assert.deepEqual(
      open.map(({ name }) => name),
      [],
    );
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

  test('both nodes are restarted one after the other, and no request of a client is refused or lost', async () => {
    const load = startLoad(nodes, cookie, LOAD_CLIENTS);
    for (const [name, ask] of [
      ['node1', nodes.one],
      ['node2', nodes.other],
    ] as const) {
      process.kill(nodes.pid(name), 'SIGTERM');
      await until(async () => (await ask('GET', '/ready')).status === 503, `${name} says that it stops`, GONE_MS);
      await nodes.restart(name);
      const before = await served(ask);
      // Connections that are there stay where they are; HAProxy gives a new one to the node that has fewer.
      const isBack = async () => (await whoami(nodes.both, cookie)).status === 200 && (await served(ask)) > before;
      await until(isBack, `HAProxy sends requests to ${name} again`, GONE_MS);
    }
    const { answered, failed } = await load.stop();
    assert.deepEqual([...failed], [], `of ${answered} requests; ${nodes.proxyLog()}`);
    assert.ok(answered > LOAD_CLIENTS, String(answered));
  });

  test('a node that is killed under load takes only its own requests with it: each client loses one at most', async () => {
    const load = startLoad(nodes, cookie, LOAD_CLIENTS);
    await until(() => load.answered() > 4 * LOAD_CLIENTS, 'the clients have their connections', GONE_MS);
    process.kill(nodes.pid('node1'), 'SIGKILL');
    const before = load.answered();
    await until(() => load.answered() > before + 20 * LOAD_CLIENTS, 'the other node goes on', GONE_MS);
    const { failed } = await load.stop();
    const told = `${JSON.stringify([...failed])}; ${nodes.proxyLog()}`;
    // Nothing was refused; a connection that the node had was lost, and the next one of the same client leads to the other.
    assert.ok(
      [...failed.keys()].every((what) => !/: \d/.test(what)),
      told,
    );
    const lost = Array.from({ length: LOAD_CLIENTS }, (_, client) =>
      [...failed].reduce((sum, [what, count]) => sum + (what.startsWith(`client ${client}:`) ? count : 0), 0),
    );
    assert.ok(Math.max(...lost) <= 1, told);
  });

  test('the database is lost: /ready says so; its standby has every session and none that was ended', async () => {
    const { other } = nodes;
    const ended = await signIn(other);
    await ok(other('DELETE', '/sessions', { cookie, body: { session_ids: [ended.id] } }));
    process.kill(nodes.pid('primary'), 'SIGQUIT');
    await until(async () => (await other('GET', '/ready')).status === 503, '/ready tells it', GONE_MS);
    assert.equal((await whoami(other, cookie)).status, 503);
    // The other one was killed before.
    await until(() => /https\/node2 is DOWN, .*code: 503/.test(nodes.proxyLog()), 'HAProxy finds no node ready', GONE_MS);
    assert.equal((await whoami(nodes.both, cookie)).status, 503);
    const isRoot = process.getuid?.() === 0;
    const promote = [join(postgresFolder() as string, 'pg_ctl'), 'promote', '-D', join(nodes.folder, 'postgresql', 'standby')];
    const { status, stderr } = isRoot
      ? spawnSync('setpriv', ['--reuid=postgres', '--regid=postgres', '--init-groups', ...promote], { cwd: '/', encoding: 'utf8' })
      : spawnSync(promote[0] as string, promote.slice(1), { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    await until(async () => (await other('GET', '/ready')).status === 200, 'the nodes are ready again', GONE_MS);
    assert.deepEqual([(await whoami(other, cookie)).status, (await whoami(other, ended.cookie)).status], [200, 401]);
    await until(async () => (await whoami(nodes.both, cookie).catch(() => undefined))?.status === 200, 'HAProxy sends requests again', GONE_MS);
    madeLater = (await ok(other('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } }))).body.kid;
  });

  test('what the script has started ends with it', async () => {
    const pids = ['haproxy', 'standby'].map((name) => nodes.pid(name));
    nodes.child.kill('SIGTERM');
    await once(nodes.child, 'exit');
    assert.deepEqual(
      pids.filter((pid) => existsSync(`/proc/${pid}`)),
      [],
    );
  });

  test('started again after the fail-over, the promoted standby is the primary, and has a standby of its own', async () => {
    await nodes.stop();
    nodes = await startNodes(nodes.folder);
    await until(async () => (await whoami(nodes.both, cookie).catch(() => undefined))?.status === 200, 'a node is ready', GONE_MS);
    const { status, text } = await nodes.both('POST', '/v1/crypto/encrypt', { cookie, body: { kid: madeLater, alg: 'dir', enc: 'A256GCM', data: 'AAAA' } });
    assert.equal(status, 200, text);
    // What is written waits for a standby.
    await ok(nodes.both('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } }));
  });
}

test.run();
