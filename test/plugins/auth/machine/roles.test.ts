// Management of machine roles and secret ids over HTTPS, on SQLite and PostgreSQL: every endpoint with each status.
import assert from 'node:assert/strict';
import { request } from 'node:https';
import { test } from 'uvu';
import { testDatabases } from '../../../stores.ts';
import { type Machine, refusal, startMachine } from './setup.ts';

const databases = await testDatabases();
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const DEFAULTS = {
  ...{ token_ttl: 3600, token_max_ttl: 0, token_policies: [], token_renewable: true, token_bound_cidrs: [], token_num_uses: 0 },
  ...{ secret_id_ttl: 0, secret_id_num_uses: 0, secret_id_bound_cidrs: [], bind_secret_id: true },
};
const CLUSTER = { jwks_url: 'https://cluster.example/jwks', bound_service_account_names: ['*'], bound_service_account_namespaces: ['ns'], token_ttl: 60 };
const machines: Machine[] = [];

/** A POST whose path leaves as it is: other clients take `.` and `..` out of it. @returns the status and the body */
const raw = ({ server, cookie }: Machine, path: string, body: unknown) =>
  new Promise<string>((resolve, reject) => {
    const { hostname: host, port } = new URL(server.address);
    const headers = { cookie: `_ea_=${cookie}`, 'content-type': 'application/json' };
    const sent = request({ host, port, path, method: 'POST', headers, rejectUnauthorized: false }, (answer) => {
      let text = `${answer.statusCode} `;
      answer.setEncoding('utf8').on('data', (part) => (text += part));
      answer.on('end', () => resolve(text));
    });
    sent.on('error', reject).end(JSON.stringify(body));
  });

test.after(async () => {
  for (const { server } of machines) await server.end();
  for (const database of databases) await database.stop();
});

const MANAGEMENT = [
  ['GET', '/approle/role?list=true'],
  ['POST', '/approle/role/a', {}],
  ['GET', '/approle/role/a'],
  ['DELETE', '/approle/role/a'],
  ['GET', '/approle/role/a/role-id'],
  ['POST', '/approle/role/a/revoke-tokens'],
  ['POST', '/approle/role/a/secret-id', {}],
  ['GET', '/approle/role/a/secret-id?list=true'],
  ['POST', '/approle/role/a/secret-id/destroy', { secret_id_accessor: 'x' }],
  ['GET', '/cluster/role?list=true'],
  ['GET', '/approle/role/a/tokens'],
  ['POST', '/approle/role/a/tokens/revoke', { accessor: 'x' }],
  ['GET', '/cluster/role/a/tokens'],
  ['POST', '/cluster/role/a/tokens/revoke', { accessor: 'x' }],
  ['POST', '/cluster/role/a/revoke-tokens'],
  ['POST', '/cluster/role/a', CLUSTER],
  ['GET', '/cluster/role/a'],
  ['DELETE', '/cluster/role/a'],
] as const;

for (const database of databases) {
  const machine = await startMachine(database);
  machines.push(machine);
  const { server, admin, makeRole, makeSecretId, audit } = machine;
  const name = (text: string) => `${database.dialect}: ${text}`;

  test(name('management needs a session: 401 without, 401 with a wrong one, and an app token is none'), async () => {
    const roleId = await makeRole('outsider', { bind_secret_id: false });
    const token = await machine.logIn(roleId);
    for (const [method, path, body] of MANAGEMENT) {
      const options = body === undefined ? {} : { body };
      assert.equal((await server.ask(method, `/auth${path}`, options)).status, 401, path);
      assert.equal((await server.ask(method, `/auth${path}`, { ...options, cookie: 'x'.repeat(43) })).status, 401, path);
      assert.equal((await server.ask(method, `/auth${path}`, { ...options, headers: { 'x-app-token': token } })).status, 401, path);
    }
    assert.equal((await admin('DELETE', '/approle/role/outsider')).status, 204);
  });

  test(name('and one with all rights: 403 for a user, a realm admin, and a super admin who is signed in elsewhere'), async () => {
    const cookies = [
      await machine.signIn('r', 'user', []),
      await machine.signIn('r', 'realm-admin', ['r']),
      await machine.signIn('r', 'super-elsewhere', ['_', 'r']),
    ];
    for (const cookie of cookies) {
      for (const [method, path, body] of MANAGEMENT) {
        assert.deepEqual(refusal(await server.ask(method, `/auth${path}`, { cookie, ...(body === undefined ? {} : { body }) })), [403, 'FORBIDDEN'], path);
      }
    }
  });

  // covers: GET /auth/approle/role
  // covers: GET /auth/cluster/role
  test(name('there is nothing yet: empty lists, 404 for reads, 204 for deletions'), async () => {
    for (const kind of ['approle', 'cluster']) assert.deepEqual((await admin('GET', `/${kind}/role?list=true`)).body, { data: { keys: [] } });
    for (const path of ['/approle/role/a', '/approle/role/a/role-id', '/approle/role/a/secret-id?list=true', '/cluster/role/a']) {
      assert.deepEqual(refusal(await admin('GET', path)), [404, 'NOT_FOUND'], path);
    }
    assert.equal((await admin('POST', '/approle/role/a/secret-id', {})).status, 404);
    assert.equal((await admin('POST', '/approle/role/a/revoke-tokens')).status, 404);
    assert.equal((await admin('POST', '/approle/role/a/secret-id/destroy', { secret_id_accessor: 'x' })).status, 204);
    for (const kind of ['approle', 'cluster']) assert.equal((await admin('DELETE', `/${kind}/role/a`)).status, 204);
  });

  // covers: POST /auth/approle/role/{name}
  // covers: GET /auth/approle/role/{name}
  // covers: GET /auth/approle/role/{name}/role-id
  // covers: POST /auth/approle/role/{name}/secret-id
  test(name('a role takes defaults, is replaced by the next body, and keeps role id and secret ids'), async () => {
    const roleId = await makeRole('web');
    assert.match(roleId, UUID);
    assert.deepEqual((await admin('GET', '/approle/role/web')).body, { data: DEFAULTS });
    const { secret_id, secret_id_accessor } = await makeSecretId('web');
    assert.match(secret_id, UUID);
    const other = {
      token_ttl: 60,
      token_max_ttl: 120,
      secret_id_ttl: 5,
      token_policies: ['read', 'sessions:read:*'],
      token_renewable: false,
      token_bound_cidrs: ['127.0.0.0/8'],
      token_num_uses: 3,
      secret_id_num_uses: 2,
      secret_id_bound_cidrs: ['127.0.0.1'],
      bind_secret_id: true,
    };
    assert.equal((await admin('POST', '/approle/role/web', { ...other, unknown: 'is ignored' })).status, 204);
    assert.deepEqual((await admin('GET', '/approle/role/web')).body, { data: other });
    assert.equal((await admin('POST', '/approle/role/web')).status, 204);
    assert.deepEqual((await admin('GET', '/approle/role/web')).body, { data: DEFAULTS });
    assert.equal((await admin('GET', '/approle/role/web/role-id')).body.data.role_id, roleId);
    assert.deepEqual((await admin('GET', '/approle/role/web/secret-id?list=true')).body, { data: { keys: [secret_id_accessor] } });
    assert.deepEqual((await admin('GET', '/approle/role')).body, { data: { keys: ['web'] } });
    await machine.logIn(roleId, secret_id);
  });

  test(name('malformed bodies are 400, a name that breaks the rule is 404'), async () => {
    const bodies = [
      { token_ttl: -1 },
      { token_ttl: 2 ** 31 },
      { token_ttl: 1.5 },
      { token_ttl: '60' },
      { token_ttl: null },
      { token_max_ttl: -1 },
      { secret_id_ttl: -1 },
      { token_policies: 'a' },
      { token_policies: [1] },
      { bind_secret_id: 'yes' },
      { token_renewable: 'yes' },
      { token_renewable: null },
      [],
      '{',
    ];
    for (const body of bodies) assert.deepEqual(refusal(await admin('POST', '/approle/role/bad', body)), [400, 'BAD_REQUEST'], JSON.stringify(body));
    assert.equal((await admin('POST', '/approle/role/edge', { token_ttl: 2 ** 31 - 1, token_max_ttl: 0 })).status, 204);
    for (const body of [{ ttl: -1 }, { num_uses: -1 }, { num_uses: 2 ** 31 }, { ttl: '1' }, { ttl: 0.5 }])
      assert.equal((await admin('POST', '/approle/role/web/secret-id', body)).status, 400);
    assert.equal((await admin('POST', '/approle/role/web/secret-id/destroy', {})).status, 400);
    for (const bad of ['a%20b', 'a%2Fb', 'a:b', 'x'.repeat(129), '%00']) {
      assert.equal((await admin('POST', `/approle/role/${bad}`, {})).status, 404, bad);
      assert.equal((await admin('POST', `/cluster/role/${bad}`, CLUSTER)).status, 404, bad);
      assert.equal((await admin('DELETE', `/approle/role/${bad}`)).status, 404, bad);
    }
    for (const step of ['.', '..', '%2e', '.%2E']) {
      assert.match(await raw(machine, `/auth/approle/role/${step}`, {}), /^404 .*a role cannot be called \.{1,2}:/, step);
      assert.match(await raw(machine, `/v1/auth/kubernetes/role/${step}`, CLUSTER), /^404 /, step);
    }
    assert.deepEqual((await admin('GET', '/cluster/role?list=true')).body.data.keys, []);
    assert.equal((await admin('POST', `/approle/role/${'x'.repeat(128)}`, {})).status, 204);
    assert.deepEqual((await admin('GET', '/approle/role?list=true')).body.data.keys, ['edge', 'web', 'x'.repeat(128)]);
    const plain = await server.ask('POST', '/auth/approle/role/web', { cookie: machine.cookie, body: '{}', headers: { 'content-type': 'text/plain' } });
    assert.equal(plain.status, 400);
  });

  // covers: POST /auth/approle/role/{name}/secret-id/destroy
  test(name('a secret id is destroyed through its own role only'), async () => {
    const [mine, theirs] = [await makeRole('mine'), await makeRole('theirs')];
    const { secret_id, secret_id_accessor } = await makeSecretId('mine');
    assert.equal((await admin('POST', '/approle/role/theirs/secret-id/destroy', { secret_id_accessor })).status, 204);
    await machine.logIn(mine, secret_id);
    assert.deepEqual(refusal(await machine.post('/approle/login', { role_id: theirs, secret_id })), [400, 'AUTH_ROLE_DENIED']);
    assert.equal((await admin('POST', '/approle/role/mine/secret-id/destroy', { secret_id_accessor })).status, 204);
    assert.deepEqual(refusal(await machine.post('/approle/login', { role_id: mine, secret_id })), [400, 'AUTH_ROLE_DENIED']);
    assert.deepEqual((await admin('GET', '/approle/role/mine/secret-id?list=true')).body, { data: { keys: [] } });
  });

  // covers: DELETE /auth/approle/role/{name}
  test(name('deleting a role ends its secret ids and its tokens, and a new one of that name has none of them'), async () => {
    const roleId = await makeRole('short-lived');
    const { secret_id } = await makeSecretId('short-lived');
    const token = await machine.logIn(roleId, secret_id);
    assert.equal((await admin('DELETE', '/approle/role/short-lived')).status, 204);
    assert.equal((await machine.own('GET', 'lookup', token)).status, 403);
    const again = await makeRole('short-lived');
    assert.notEqual(again, roleId);
    for (const role_id of [roleId, again]) assert.equal((await machine.post('/approle/login', { role_id, secret_id })).status, 400);
    assert.deepEqual((await admin('GET', '/approle/role/short-lived/secret-id?list=true')).body, { data: { keys: [] } });
  });

  test(name('revoke-tokens ends the tokens of the role and of no other'), async () => {
    const tokens = await Promise.all(['one', 'two'].map(async (role) => machine.logIn(await makeRole(role, { bind_secret_id: false }))));
    assert.equal((await admin('POST', '/approle/role/one/revoke-tokens')).status, 204);
    assert.deepEqual(await Promise.all(tokens.map(async (token) => (await machine.own('GET', 'lookup', token)).status)), [403, 200]);
  });

  // covers: POST /auth/cluster/role/{name}
  // covers: GET /auth/cluster/role/{name}
  // covers: DELETE /auth/cluster/role/{name}
  test(name('a cluster role is made, read, replaced, listed, deleted'), async () => {
    assert.equal((await admin('POST', '/cluster/role/k', CLUSTER)).status, 204);
    assert.deepEqual((await admin('GET', '/cluster/role/k')).body, { data: { ...CLUSTER, token_max_ttl: 0, token_policies: [], token_renewable: true } });
    const full = { ...CLUSTER, token_max_ttl: 90, token_policies: ['p'], token_renewable: false, expected_issuer: 'https://iss', bound_audiences: ['a'] };
    assert.equal((await admin('POST', '/cluster/role/k', { ...full, unknown: 1 })).status, 204);
    assert.deepEqual((await admin('GET', '/cluster/role/k')).body, { data: full });
    assert.deepEqual((await admin('GET', '/cluster/role?list=true')).body, { data: { keys: ['k'] } });
    assert.equal((await admin('DELETE', '/cluster/role/k')).status, 204);
    assert.equal((await admin('GET', '/cluster/role/k')).status, 404);
  });

  test(name('a cluster role needs its members, lists that are not empty, and an address that may be asked'), async () => {
    for (const member of Object.keys(CLUSTER)) {
      assert.equal((await admin('POST', '/cluster/role/bad', { ...CLUSTER, [member]: undefined })).status, 400, member);
    }
    for (const member of ['bound_service_account_names', 'bound_service_account_namespaces', 'bound_audiences']) {
      for (const value of [[], [1], 'x', ['']]) assert.equal((await admin('POST', '/cluster/role/bad', { ...CLUSTER, [member]: value })).status, 400, member);
    }
    for (const jwks_url of ['http://cluster.example/', 'http://192.0.2.1/', 'file:///x', 'nothing', '', 'https://u:p@h/', 'http://127.0.0.1.example/']) {
      assert.deepEqual(refusal(await admin('POST', '/cluster/role/bad', { ...CLUSTER, jwks_url })), [400, 'BAD_REQUEST'], jwks_url);
    }
    for (const jwks_url of ['http://127.0.0.1:1/', 'http://[::1]:1/', 'http://localhost:1/']) {
      assert.equal((await admin('POST', '/cluster/role/good', { ...CLUSTER, jwks_url })).status, 204, jwks_url);
    }
    assert.equal((await admin('POST', '/cluster/role/bad')).status, 400);
    assert.equal((await admin('GET', '/cluster/role/bad')).status, 404);
  });

  test(name('every change is in the audit log, and no secret'), async () => {
    const { secret_id, secret_id_accessor } = await makeSecretId('web');
    await admin('POST', '/approle/role/web/secret-id/destroy', { secret_id_accessor });
    const rows = await audit(
      'approle.put',
      'approle.delete',
      'approle.revoke_tokens',
      'secret_id.create',
      'secret_id.destroy',
      'cluster_role.put',
      'cluster_role.delete',
    );
    for (const row of [
      'approle.put | success | admin | web',
      'approle.delete | success | admin | short-lived | 1 tokens revoked',
      'approle.revoke_tokens | success | admin | one | 1 tokens revoked',
      `secret_id.create | success | admin | web/${secret_id_accessor}`,
      `secret_id.destroy | success | admin | web/${secret_id_accessor}`,
      'cluster_role.put | success | admin | k',
      'cluster_role.delete | success | admin | k | 0 tokens revoked',
    ])
      assert.ok(rows.includes(row), row);
    assert.ok(!rows.join().includes(secret_id) && !JSON.stringify(server.lines).includes(secret_id));
  });
}

test.run();
