// The first login, end to end over HTTPS, on SQLite and PostgreSQL: initial password, forced change, cookie, claims, logout.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { parseBasic } from '../../../plugins/auth/basic.ts';
import { signInAdmin, startServer, type TestServer, temporaryFolder } from '../../server.ts';
import { testDatabases } from '../../stores.ts';

const databases = await testDatabases();
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** One for each database, and one whose admin has not signed in: a start costs more than all questions of a test. The tests of each are in their order. */
const servers = new Map<string, TestServer>();
const at = (name: string) => servers.get(name) as TestServer;
const FRESH = 'fresh';
test.before(async () => {
  for (const { dialect, url } of databases) servers.set(dialect, await startServer(dialect === 'sqlite' ? {} : { config: `[store]\nurl = "${await url()}"` }));
  servers.set(FRESH, await startServer());
});
test.after(async () => {
  for (const server of servers.values()) await server.end();
  for (const database of databases) await database.stop();
});

// covers: POST /login
// covers: GET /whoami
// covers: DELETE /sessions
for (const database of databases) {
  const name = (text: string) => `${database.dialect}: ${text}`;
  const signIn = async () => (await at(database.dialect).ask('POST', '/login?realm=_', { user: 'admin:a new password' })).cookie;

  test(name('the printed password leads to ChangePassword, with a new one to a session, and the file of the old one goes'), async () => {
    const server = at(database.dialect);
    const file = join(server.dataDir, 'initial-password');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(server.dataDir).mode & 0o777, 0o700);
    assert.ok(server.announcements[0]?.includes(server.initialPassword));
    const user = `admin:${server.initialPassword}`;
    const first = await server.ask('POST', '/login?realm=_', { user });
    assert.deepEqual([first.status, first.body, first.cookie], [200, { next_step: 'ChangePassword', session_id: null }, undefined]);
    const second = await server.ask('POST', '/login?realm=_', { user, body: { new_password: 'a new password' } });
    assert.equal(second.status, 200);
    assert.equal(second.body.next_step, 'Authenticated');
    assert.match(second.body.session_id, UUID);
    assert.match(String(second.headers['set-cookie']), /^_ea_=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=3600; HttpOnly; Secure; SameSite=Strict$/);
    assert.equal(existsSync(file), false);
    assert.equal((await server.ask('POST', '/login?realm=_', { user })).status, 401);
    const third = await server.ask('POST', '/login?realm=_', { user: 'admin:a new password', body: {} });
    assert.equal(third.body.next_step, 'Authenticated');
  });

  test(name('whoami gives every claim; after DELETE /sessions it gives 401'), async () => {
    const server = at(database.dialect);
    const before = Math.floor(server.clock.now() / 1000);
    const cookie = await signIn();
    const me = await server.ask('GET', '/whoami', { cookie });
    assert.equal(me.status, 200);
    const { iat, exp, nbf, jti, ...claims } = me.body;
    assert.deepEqual(claims, { iss: 'gatehouse', sub: 'admin', aud: ['_'], roles: [], as_as: 'up', as_rid: '_' });
    assert.ok(iat >= before && iat <= before + 10);
    assert.deepEqual([nbf, exp], [iat, iat + 3600]);
    assert.match(jti, /^[0-9a-f-]{36}$/);
    assert.equal((await server.ask('GET', '/whoami?realm=_', { cookie })).status, 200);
    assert.equal((await server.ask('GET', '/whoami?realm=other', { cookie })).status, 401);
    const login = await server.ask('POST', '/login?realm=_', { user: 'admin:a new password' });
    const ended = await server.ask('DELETE', '/sessions', { cookie: login.cookie, body: { session_ids: [login.body.session_id] } });
    assert.equal(ended.status, 204);
    assert.equal(ended.text, '');
    assert.match(String(ended.headers['set-cookie']), /^_ea_=; Path=\/; Max-Age=0;/);
    assert.equal((await server.ask('GET', '/whoami', { cookie: login.cookie })).status, 401);
    assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 200);
    assert.equal((await server.ask('DELETE', '/sessions', { cookie, body: { session_ids: ['not-there', login.body.session_id] } })).status, 204);
  });

  test(name('a password change ends the other sessions of the user'), async () => {
    const server = at(database.dialect);
    const cookie = await signIn();
    assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 200);
    const changed = await server.ask('POST', '/login?realm=_', { user: 'admin:a new password', body: { new_password: 'another password' } });
    assert.equal(changed.body.next_step, 'Authenticated');
    assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 401);
    assert.equal((await server.ask('GET', '/whoami', { cookie: changed.cookie })).status, 200);
    const back = await server.ask('POST', '/login?realm=_', { user: 'admin:another password', body: { new_password: 'a new password' } });
    assert.equal(back.body.next_step, 'Authenticated');
  });

  test(name('a session ends by age, and earlier by idleness; use keeps it alive'), async () => {
    const server = at(database.dialect);
    const cookie = await signIn();
    for (let minutes = 0; minutes < 50; minutes += 25) {
      await server.runtime.advance(25 * 60_000);
      assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 200);
    }
    await server.runtime.advance(11 * 60_000);
    assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 401);
  });
}

test('sessions and the password survive a restart of the server', async () => {
  const server = await startServer();
  const cookie = await signInAdmin(server);
  await server.stop();
  const again = await startServer({ dataDir: server.dataDir });
  assert.equal((await again.ask('GET', '/whoami', { cookie })).status, 200);
  assert.equal((await again.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).status, 200);
  assert.ok(!again.announcements[0]?.includes('initial-password'));
  await again.end();
  await server.end();
});

test('the line of a later start reads the initial password in a shell, whatever the data folder is called', async () => {
  const dataDir = join(temporaryFolder(), `o'brien "and" $co`);
  await (await startServer({ dataDir })).stop();
  const again = await startServer({ dataDir });
  const [, user] = / -u (".*") -X /.exec(again.announcements[0] ?? '') ?? [];
  assert.equal(execFileSync('sh', ['-c', `printf %s ${user}`], { encoding: 'utf8' }), `admin:${again.initialPassword}`);
  await again.end();
  rmSync(dataDir, { recursive: true });
});

test('refusals are alike: unknown realm, unknown user, wrong password, no credentials, malformed ones', async () => {
  const server = at(FRESH);
  const tries = [
    await server.ask('POST', '/login?realm=_', { user: 'admin:wrong password' }),
    await server.ask('POST', '/login?realm=_', { user: 'nobody:wrong password' }),
    await server.ask('POST', '/login?realm=nowhere', { user: `admin:${server.initialPassword}` }),
    await server.ask('POST', '/login?realm=_', { user: `ad/min:${server.initialPassword}` }),
    await server.ask('POST', '/login?realm=_', {}),
    await server.ask('POST', '/login?realm=_', { headers: { authorization: 'Basic ****' } }),
    await server.ask('POST', '/login?realm=_', { headers: { authorization: 'Basic YWRtaW4=' } }),
    await server.ask('POST', '/login?realm=_', { headers: { authorization: 'Basic /////w==' } }),
  ];
  for (const { status, body, headers, cookie } of tries) {
    assert.equal(status, 401);
    assert.deepEqual([body.code, body.message, body.errors], ['AUTH_DENIED', 'the credentials are not valid', ['the credentials are not valid']]);
    assert.equal(headers['www-authenticate'], 'Bearer realm="gatehouse"');
    assert.equal(cookie, undefined);
  }
});

test('a new password that cannot be used is 400 and changes nothing', async () => {
  const server = at(FRESH);
  const user = `admin:${server.initialPassword}`;
  const change = (new_password: unknown) => server.ask('POST', '/login?realm=_', { user, body: { new_password } });
  for (const unfit of ['short', 'x'.repeat(1_025), server.initialPassword, '']) {
    const answer = await change(unfit);
    assert.deepEqual([answer.status, answer.body.code], [400, 'AUTH_PASSWORD_UNFIT'], unfit);
  }
  assert.equal((await change(5)).status, 400);
  assert.equal((await server.ask('POST', '/login?realm=_', { user: 'admin:wrong', body: { new_password: 'short' } })).status, 401);
  assert.equal((await server.ask('POST', '/login?realm=_', { user })).body.next_step, 'ChangePassword');
});

test('passwords are compared in NFC', async () => {
  const server = await startServer();
  await signInAdmin(server, 'cafe\u0301 au lait');
  assert.equal((await server.ask('POST', '/login?realm=_', { user: 'admin:caf\u00e9 au lait' })).status, 200);
  await server.end();
});

test('GATEHOUSE_ADMIN_PASSWORD sets the initial password and leaves the environment; nothing prints it', async () => {
  const env: NodeJS.ProcessEnv = { GATEHOUSE_ADMIN_PASSWORD: 'from the variable' };
  const server = await startServer({ env });
  assert.equal(env['GATEHOUSE_ADMIN_PASSWORD'], undefined);
  assert.equal(existsSync(join(server.dataDir, 'initial-password')), false);
  assert.ok(!server.announcements[0]?.includes('from the variable'));
  assert.equal((await server.ask('POST', '/login?realm=_', { user: 'admin:from the variable' })).body.next_step, 'ChangePassword');
  await server.end();
  await assert.rejects(startServer({ env: { GATEHOUSE_ADMIN_PASSWORD: 'short' } }), /GATEHOUSE_ADMIN_PASSWORD: it must have 8 to 1024 bytes/);
});

test('logins are counted by outcome and written to the audit log without secrets', async () => {
  const server = await startServer();
  await server.ask('POST', '/login?realm=_', { user: 'admin:wrong password' });
  await server.ask('POST', '/login?realm=_', { user: 'a typed password:x' });
  await signInAdmin(server);
  const metrics = (await server.ask('GET', '/metrics')).text;
  assert.match(metrics, /gatehouse_logins_total\{outcome="Refused"\} 2/);
  assert.match(metrics, /gatehouse_logins_total\{outcome="Authenticated"\} 1/);
  const { dataDir } = server;
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(join(dataDir, 'gatehouse.db'), { readOnly: true });
  const rows = db.prepare('SELECT event, outcome, actor, request_id FROM audit ORDER BY time, stream, seq').all() as {
    event: string;
    outcome: string;
    actor: string | null;
    request_id: string | null;
  }[];
  db.close();
  const logins = rows.filter(({ event }) => event === 'login');
  assert.deepEqual(logins.map(({ outcome, actor }) => `${outcome} ${actor}`).sort(), ['refused admin', 'refused unknown', 'success admin']);
  assert.ok(logins.every(({ request_id }) => request_id !== null));
  assert.ok(rows.some(({ event }) => event === 'first_start'));
  assert.ok(rows.some(({ event }) => event === 'password.change'));
  await server.end();
});

test('an optional member that is null is as if it were not there', async () => {
  const server = at(FRESH);
  const nothing = { public_key_pem: null, totp_code: null, new_password: null };
  const user = `admin:${server.initialPassword}`;
  const first = await server.ask('POST', '/login?realm=_', { user, body: nothing });
  assert.deepEqual([first.status, first.body.next_step], [200, 'ChangePassword']);
  await signInAdmin(server);
  const again = await server.ask('POST', '/login?realm=_', { user: 'admin:a new password', body: nothing });
  assert.deepEqual([again.status, again.body.next_step], [200, 'Authenticated']);
  // Nobody may believe that the key has been bound to the session.
  const bound = await server.ask('POST', '/login?realm=_', { user: 'admin:a new password', body: { public_key_pem: 'a key' } });
  assert.equal(bound.status, 400);
});

test('a name and a password may begin with U+FEFF, which is no byte order mark in Basic credentials', () => {
  const given = parseBasic(`Basic ${Buffer.from('\ufeffada:\ufeffsecret').toString('base64')}`);
  assert.deepEqual([given?.username, Buffer.from(given?.password ?? []).toString()], ['\ufeffada', '\ufeffsecret']);
});

// covers: GET /public/version
test('the version is public, as text', async () => {
  const server = at(FRESH);
  for (const path of ['/public/version', '/version']) {
    const { status, text, headers } = await server.ask('GET', path);
    assert.deepEqual([status, text, String(headers['content-type']).split(';')[0]], [200, '0.0.0-test', 'text/plain']);
  }
});

test.run();
