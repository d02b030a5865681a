// The login with role id and secret id over HTTPS, on SQLite and PostgreSQL: its statuses, the limits of secret ids, and fifty at once.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { startServer } from '../../../server.ts';
import { testDatabases } from '../../../stores.ts';
import { type Machine, machineOn, refusal, startMachine } from './setup.ts';

const databases = await testDatabases();
const TOKEN = /^hvs\.[A-Za-z0-9_-]{43}$/;
const DENIED = [400, 'AUTH_ROLE_DENIED'];
const EXHAUSTED = [403, 'AUTH_SECRET_ID_EXHAUSTED'];
const DAY_MS = 86_400_000;
const machines: Machine[] = [];

test.after(async () => {
  for (const { server } of machines) await server.end();
  for (const database of databases) await database.stop();
});

for (const database of databases) {
  const machine = await startMachine(database);
  machines.push(machine);
  const { server, admin, post, makeRole, makeSecretId, audit } = machine;
  const name = (text: string) => `${database.dialect}: ${text}`;
  const login = (role_id: unknown, secret_id?: unknown) => post('/approle/login', { role_id, ...(secret_id === undefined ? {} : { secret_id }) });
  /** Moves the clock; the admin's session would not outlive it. */
  const pass = (ms: number) => server.runtime.advance(ms);

  // covers: POST /auth/approle/login
  // covers: PUT /auth/approle/login
  test(name('a good one is answered with a token, by POST and by PUT, whatever the content type'), async () => {
    const role_id = await makeRole('web', { token_ttl: 600, token_policies: ['read', 'write'] });
    const { secret_id } = await makeSecretId('web');
    const body = JSON.stringify({ role_id, secret_id, unknown: 'is ignored' });
    const seen = new Set<string>();
    for (const method of ['POST', 'PUT'] as const) {
      for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', '']) {
        const answer = await server.ask(method, '/auth/approle/login', { body, headers: { 'content-type': type } });
        assert.equal(answer.status, 200, `${method} ${type} ${answer.text}`);
        const { client_token, ...auth } = answer.body.auth;
        assert.match(client_token, TOKEN);
        seen.add(client_token);
        assert.deepEqual(auth, { renewable: true, lease_duration: 600, policies: ['read', 'write'], metadata: { role_name: 'web' } });
      }
    }
    assert.equal(seen.size, 8);
    assert.equal((await server.ask('GET', '/auth/approle/login')).status, 405);
  });

  test(name('whatever is wrong is one answer: 400'), async () => {
    const role_id = await makeRole('locked');
    const { secret_id } = await makeSecretId('locked');
    await makeRole('other');
    const other = await makeSecretId('other');
    const tries = [
      await login(role_id),
      await login(role_id, 'wrong'),
      await login(role_id, ''),
      await login(role_id, other.secret_id),
      await login(role_id, other.secret_id_accessor),
      await login('wrong', secret_id),
      await login('locked', secret_id),
      await login('', secret_id),
      await login('wrong'),
    ];
    for (const answer of tries) {
      const { request_id, ...body } = answer.body;
      const message = 'the role id or the secret id is not valid';
      assert.deepEqual([answer.status, body], [400, { code: 'AUTH_ROLE_DENIED', message, errors: [message] }]);
    }
    for (const body of [{}, { secret_id }, { role_id: 1, secret_id }, { role_id, secret_id: 1 }, [], '{']) {
      assert.deepEqual(refusal(await post('/approle/login', body)), [400, 'BAD_REQUEST']);
    }
    assert.equal((await server.ask('POST', '/auth/approle/login')).status, 400);
    assert.equal((await login(role_id, secret_id)).status, 200);
  });

  test(name('without bind_secret_id the role id is enough'), async () => {
    const role_id = await makeRole('open', { bind_secret_id: false });
    assert.equal((await login(role_id)).status, 200);
    assert.equal((await login(role_id, 'anything')).status, 200);
    await makeRole('open', { bind_secret_id: true });
    assert.deepEqual(refusal(await login(role_id)), DENIED);
  });

  test(name('a secret id for one use admits exactly one of fifty logins at once'), async () => {
    const role_id = await makeRole('single');
    const { secret_id } = await makeSecretId('single', { num_uses: 1 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => login(role_id, secret_id)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200)) assert.deepEqual(refusal(answer), EXHAUSTED);
  });

  test(name('uses are limited to their number; a secret id is given away to no other role'), async () => {
    const [role_id, other] = [await makeRole('three'), await makeRole('not-three')];
    const { secret_id, secret_id_accessor } = await makeSecretId('three', { num_uses: 3 });
    for (let wrong = 0; wrong < 5; wrong++) assert.deepEqual(refusal(await login(other, secret_id)), DENIED);
    for (let use = 0; use < 3; use++) assert.equal((await login(role_id, secret_id)).status, 200);
    assert.deepEqual(refusal(await login(role_id, secret_id)), EXHAUSTED);
    assert.deepEqual(refusal(await login(other, secret_id)), DENIED);
    assert.deepEqual((await admin('GET', '/approle/role/three/secret-id?list=true')).body.data.keys, []);
    await admin('POST', '/approle/role/three/secret-id/destroy', { secret_id_accessor });
    assert.deepEqual(refusal(await login(role_id, secret_id)), DENIED);
  });

  test(name('every outcome is counted and in the audit log, without a secret'), async () => {
    const metrics = (await server.ask('GET', '/metrics')).text;
    assert.match(metrics, /gatehouse_tokens_generated_total\{kind="approle"\} \d\d/);
    const role_id = await makeRole('watched');
    const { secret_id, secret_id_accessor } = await makeSecretId('watched', { num_uses: 2 });
    const { secret_id: unlimited } = await makeSecretId('watched');
    const good = [await login(role_id, secret_id), await login(role_id, secret_id), await login(role_id, unlimited)];
    await login(role_id, secret_id);
    await login(role_id, 'a secret typed wrongly');
    await login(role_id);
    await login('a role typed wrongly', secret_id);
    const rows = await audit('approle.login', 'secret_id.use');
    const reasons = rows.filter((row) => row.includes('watched')).map((row) => row.replace(secret_id_accessor, 'SECRET').replaceAll(/[0-9a-f-]{36}/g, 'ID'));
    assert.deepEqual(reasons, [
      'secret_id.use | success | watched | watched/SECRET',
      'approle.login | success | watched | ID | with the secret id SECRET',
      'secret_id.use | success | watched | watched/SECRET | this was its last use',
      'approle.login | success | watched | ID | with the secret id SECRET',
      'approle.login | success | watched | ID | with the secret id ID',
      'approle.login | refused | watched | SECRET | exhausted secret id',
      'approle.login | refused | watched | unknown secret id',
      'approle.login | refused | watched | no secret id',
    ]);
    assert.ok(rows.includes('approle.login | refused | unknown | unknown role id'));
    assert.ok(rows.some((row) => row.includes(secret_id_accessor)));
    const written = rows.join() + JSON.stringify(server.lines);
    for (const secret of [secret_id, 'typed wrongly', ...good.map(({ body }) => body.auth.client_token)]) assert.ok(!written.includes(secret));
  });

  // From here on the clock runs away from the admin's session: whatever needs it comes first in each test.
  test(name('lifetimes: the own one of a secret id, else the role’s, else none; then it is unknown'), async () => {
    const role_id = await makeRole('timed', { secret_id_ttl: 100, token_ttl: 0 });
    const ofRole = (await makeSecretId('timed')).secret_id;
    const own = (await makeSecretId('timed', { ttl: 200 })).secret_id;
    await makeRole('timed', { secret_id_ttl: 0, token_ttl: 0 });
    const none = (await makeSecretId('timed')).secret_id;
    const statuses = async () => Promise.all([ofRole, own, none].map(async (secret) => (await login(role_id, secret)).status));
    assert.deepEqual(await statuses(), [200, 200, 200]);
    await pass(99_000);
    assert.deepEqual((await statuses())[0], 200);
    await pass(1_001);
    assert.deepEqual(await statuses(), [400, 200, 200]);
    await pass(100_000);
    assert.deepEqual(await statuses(), [400, 400, 200]);
    assert.deepEqual((await login(role_id, own)).body.code, 'AUTH_ROLE_DENIED');
    assert.equal((await admin('GET', '/approle/role/timed/secret-id?list=true')).body.data.keys.length, 1);
  });

  test(name('one that is used up is told from an unknown one for thirty days'), async () => {
    const role_id = await makeRole('tomb');
    const { secret_id } = await makeSecretId('tomb', { num_uses: 1, ttl: 1_000 });
    assert.equal((await login(role_id, secret_id)).status, 200);
    await pass(30 * DAY_MS - 60_000);
    assert.deepEqual(refusal(await login(role_id, secret_id)), EXHAUSTED);
    await pass(60_001);
    assert.deepEqual(refusal(await login(role_id, secret_id)), DENIED);
  });
}

for (const database of databases.filter(({ dialect }) => dialect === 'postgres')) {
  test('two servers on one database: a one-time secret id admits one of fifty logins, revocations reach both', async () => {
    const rootKey = `root_key = "${'ab'.repeat(32)}"\n`;
    const url = await database.url();
    const config = `[store]\nurl = "${url}"\n${rootKey}`;
    const first = await startMachine({ ...database, dialect: 'postgres', url: async () => url }, { config: rootKey });
    const other = await startServer({ config });
    const second = machineOn(other, first.cookie, url);
    const role_id = await first.makeRole('shared');
    for (let round = 0; round < 3; round++) {
      const { secret_id } = await second.makeSecretId('shared', { num_uses: 1 });
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? first : second).post('/approle/login', { role_id, secret_id })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(49).fill(403)]);
    }
    const { secret_id } = await first.makeSecretId('shared');
    const token = await first.logIn(role_id, secret_id);
    assert.equal((await second.own('GET', 'lookup', token)).status, 200);
    assert.equal((await first.own('POST', 'revoke', token)).status, 204);
    assert.equal((await second.own('GET', 'lookup', token)).status, 403);
    await other.end();
    await first.server.end();
  });
}

test.run();
