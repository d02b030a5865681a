// App tokens over HTTPS, on SQLite and PostgreSQL: lookup, renewal, revocation, their ends, and what they authenticate.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { testDatabases } from '../../../stores.ts';
import { type Machine, refusal, startMachine } from './setup.ts';

const databases = await testDatabases();
const ACTIONS = [
  ['GET', 'lookup'],
  ['POST', 'renew'],
  ['POST', 'revoke'],
] as const;
const REFUSED = [403, 'AUTH_TOKEN_DENIED'];
const machines: Machine[] = [];

test.after(async () => {
  for (const { server } of machines) await server.end();
  for (const database of databases) await database.stop();
});

for (const database of databases) {
  const machine = await startMachine(database);
  machines.push(machine);
  const { server, own, makeRole, logIn, audit } = machine;
  const name = (text: string) => `${database.dialect}: ${text}`;
  const role = (id: string, body: object) => makeRole(id, { bind_secret_id: false, ...body });
  const ids = { hour: '', capped: '', eternal: '', mortal: '' };

  // covers: GET /auth/token/lookup-self
  test(name('lookup-self tells what the token is'), async () => {
    ids.hour = await role('hour', { token_policies: ['p', 'q'] });
    ids.capped = await role('capped', { token_ttl: 100, token_max_ttl: 250 });
    ids.eternal = await role('eternal', { token_ttl: 0 });
    ids.mortal = await role('mortal', { token_ttl: 0, token_max_ttl: 100 });
    const before = Math.floor(server.clock.now() / 1000);
    const token = await logIn(ids.hour);
    const { status, body } = await own('GET', 'lookup', token);
    const { ttl, creation_time, ...data } = body.data;
    assert.deepEqual([status, data], [200, { id: token, entity_id: 'hour', policies: ['p', 'q'], renewable: true }]);
    assert.ok(ttl > 3_590 && ttl <= 3_600 && creation_time >= before && creation_time <= before + 10);
  });

  // covers: POST /auth/token/revoke-self
  test(name('a token that is missing, malformed, unknown or revoked is 403, for every action'), async () => {
    const revoked = await logIn(ids.hour);
    assert.equal((await own('POST', 'revoke', revoked)).status, 204);
    for (const token of [undefined, '', 'nonsense', `hvs.${'x'.repeat(43)}`, revoked, `${revoked}x`, revoked.slice(4)]) {
      for (const [method, action] of ACTIONS) assert.deepEqual(refusal(await own(method, action, token)), REFUSED, `${action} ${token}`);
    }
  });

  test(name('one request has one credential: another header that counts first refuses the token, a cookie changes nothing'), async () => {
    const token = await logIn(ids.hour);
    const with_ = (headers: Record<string, string>) => server.ask('GET', '/auth/token/lookup-self', { headers: { 'x-app-token': token, ...headers } });
    assert.deepEqual(refusal(await with_({ authorization: 'Bearer x' })), REFUSED);
    assert.equal((await with_({ cookie: '_ea_=x' })).status, 200);
    assert.deepEqual(refusal(await server.ask('GET', '/auth/token/lookup-self', { cookie: machine.cookie })), REFUSED);
  });

  test(name('a body is read whatever the content type, and means nothing'), async () => {
    const token = await logIn(ids.hour);
    const headers = { 'x-app-token': token, 'content-type': 'text/plain' };
    assert.equal((await server.ask('POST', '/auth/token/renew-self', { headers, body: '{"increment":5}' })).status, 200);
    for (const body of ['{', '[[[[', '\u0000', 'not json'])
      for (const type of ['application/json', 'text/plain', 'x/y', 'multipart/form-data', '', 'x', 'x/', 'a/b/c'])
        assert.equal(
          (await server.ask('POST', '/auth/token/renew-self', { headers: { ...headers, 'content-type': type }, body })).status,
          200,
          `${type} ${body}`,
        );
    assert.equal((await server.ask('POST', '/auth/token/revoke-self', { headers: { ...headers, 'content-type': 'application/json' }, body: '{' })).status, 204);
  });

  // covers: POST /auth/token/renew-self
  test(name('renew-self gives the same token the whole lease again'), async () => {
    const token = await logIn(ids.hour);
    await server.runtime.advance(600_000);
    const left = (await own('GET', 'lookup', token)).body.data.ttl;
    assert.ok(left <= 3_000 && left > 2_980, String(left));
    const renewed = await own('POST', 'renew', token);
    assert.deepEqual(renewed.body, {
      auth: { client_token: token, renewable: true, lease_duration: 3_600, policies: ['p', 'q'], metadata: { role_name: 'hour' } },
    });
    assert.ok((await own('GET', 'lookup', token)).body.data.ttl > 3_590);
  });

  test(name('tokens of a role with token_renewable false say so in every answer, and live as long as their first lease'), async () => {
    const fixed = await role('fixed', { token_ttl: 100, token_renewable: false });
    const login = await machine.post('/approle/login', { role_id: fixed });
    const { client_token: token, renewable } = login.body.auth;
    assert.equal(renewable, false);
    await server.runtime.advance(50_000);
    assert.deepEqual(refusal(await own('POST', 'renew', token)), [403, 'AUTH_TOKEN_NOT_RENEWABLE']);
    const { ttl, renewable: still } = (await own('GET', 'lookup', token)).body.data;
    assert.ok(ttl <= 50 && ttl > 40 && still === false, `${ttl}, ${still}`);
    // A token keeps what its role said when it was issued.
    assert.equal((await machine.admin('POST', '/approle/role/fixed', { bind_secret_id: false })).status, 204);
    assert.equal((await own('POST', 'renew', token)).status, 403);
    assert.equal((await own('POST', 'renew', await logIn(fixed))).status, 200);
    await server.runtime.advance(51_000);
    assert.deepEqual(refusal(await own('POST', 'renew', token)), REFUSED);
  });

  test(name('token_max_ttl is what no renewal goes beyond'), async () => {
    const token = await logIn(ids.capped);
    await server.runtime.advance(90_000);
    assert.equal((await own('POST', 'renew', token)).body.auth.lease_duration, 100);
    await server.runtime.advance(90_000);
    const { lease_duration } = (await own('POST', 'renew', token)).body.auth;
    assert.ok(lease_duration <= 70 && lease_duration > 60, String(lease_duration));
    await server.runtime.advance(70_000);
    for (const [method, action] of ACTIONS) assert.deepEqual(refusal(await own(method, action, token)), REFUSED, action);
  });

  test(name('an expired token is refused by every action, and its row goes'), async () => {
    const tokens = await Promise.all([logIn(ids.hour), logIn(ids.hour), logIn(ids.hour)]);
    await server.runtime.advance(3_600_001);
    for (const [index, [method, action]] of ACTIONS.entries()) assert.deepEqual(refusal(await own(method, action, tokens[index])), REFUSED, action);
    await server.runtime.advance(60_000);
    assert.deepEqual(await machine.rows('SELECT COUNT(*) AS n FROM app_token WHERE role = $1', ['hour']), [{ n: 0 }]);
  });

  test(name('token_ttl 0 does not expire, and renewal does not change that'), async () => {
    const token = await logIn(ids.eternal);
    const renewed = await own('POST', 'renew', token);
    assert.deepEqual([renewed.status, renewed.body.auth.lease_duration], [200, 0]);
    const mortal = await logIn(ids.mortal);
    // Less than after which the server renews its own certificate: to the client's clock the new one is not valid yet.
    await server.runtime.advance(300 * 86_400_000);
    assert.deepEqual((await own('GET', 'lookup', token)).body.data.ttl, 0);
    assert.equal((await own('GET', 'lookup', mortal)).status, 403);
    assert.equal((await own('POST', 'revoke', token)).status, 204);
    assert.equal((await own('GET', 'lookup', token)).status, 403);
  });

  test(name('a token authenticates where app tokens are accepted, until it is revoked'), async () => {
    const token = await logIn(ids.hour);
    const status = async () => (await server.ask('GET', '/hsm/status', { headers: { 'x-app-token': token } })).status;
    assert.equal(await status(), 200);
    assert.equal((await server.ask('GET', '/whoami', { headers: { 'x-app-token': token } })).status, 401);
    assert.equal((await own('POST', 'revoke', token)).status, 204);
    assert.equal(await status(), 401);
  });

  test(name('renewal and revocation are in the audit log, the token nowhere'), async () => {
    const token = await logIn(ids.hour);
    await own('POST', 'renew', token);
    await own('POST', 'revoke', token);
    const rows = (await audit('token.renew', 'token.revoke')).slice(-2).map((row) => row.replace(/[0-9a-f-]{36}/, 'ID'));
    assert.deepEqual(rows, ['token.renew | success | hour | ID', 'token.revoke | success | hour | ID']);
    const stored = JSON.stringify([await machine.rows('SELECT * FROM app_token'), await machine.rows('SELECT * FROM audit'), server.lines]);
    assert.ok(!stored.includes(token) && !/hvs\./.test(stored));
  });
}

test.run();
