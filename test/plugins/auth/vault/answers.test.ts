// What clients of Vault and OpenBao get below /v1/auth, over HTTPS, on SQLite and PostgreSQL: the same work, in their envelope.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type IdentityProvider, startIdentityProvider } from '../../../identity-provider.ts';
import type { Answer } from '../../../server.ts';
import { testDatabases } from '../../../stores.ts';
import { type Machine, startMachine } from '../machine/setup.ts';

const databases = await testDatabases();
const machines: Machine[] = [];
const providers: IdentityProvider[] = [];
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const BOTH = ['POST', 'PUT'] as const;

test.after(async () => {
  for (const { server } of machines) await server.end();
  for (const provider of providers) await provider.end();
  for (const database of databases) await database.stop();
});

/** The member of an answer in the envelope, whose other members are there and empty. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into members of every shape.
function open(answer: Answer, member: 'auth' | 'data'): any {
  const { request_id, [member]: content, ...others } = answer.body;
  assert.equal(answer.status, 200, answer.text);
  assert.match(request_id, UUID);
  assert.equal(request_id, answer.headers['x-request-id']);
  const { [member]: _, ...rest } = { lease_id: '', renewable: false, lease_duration: 0, data: null, auth: null, wrap_info: null, warnings: null };
  assert.deepEqual(others, rest);
  assert.equal(answer.headers['content-type'], 'application/json');
  return content;
}

for (const database of databases) {
  const machine = await startMachine(database);
  machines.push(machine);
  const { server, makeRole, makeSecretId, logIn } = machine;
  const provider = await startIdentityProvider(() => server.clock.now(), 'https://cluster.example');
  providers.push(provider);
  const name = (text: string) => `${database.dialect}: ${text}`;
  const by = (token: string) => ({ headers: { 'x-vault-token': token } });
  const self = (token: string) => server.ask('GET', '/v1/auth/token/lookup-self', by(token));

  // covers: POST /v1/auth/approle/login
  // covers: PUT /v1/auth/approle/login
  test(name('a role signs in by either method, whatever the content type says'), async () => {
    const role_id = await makeRole('web', { token_policies: ['p', 'q'], token_ttl: 600 });
    for (const method of BOTH) {
      const body = JSON.stringify({ role_id, secret_id: (await makeSecretId('web')).secret_id });
      const { client_token, accessor, ...auth } = open(await server.ask(method, '/v1/auth/approle/login', { headers: { 'content-type': '' }, body }), 'auth');
      assert.match(client_token, /^hvs\.[A-Za-z0-9_-]{43}$/);
      assert.match(accessor, UUID);
      assert.deepEqual(auth, {
        policies: ['p', 'q'],
        token_policies: ['p', 'q'],
        metadata: { role_name: 'web' },
        lease_duration: 600,
        renewable: true,
        entity_id: 'web',
        token_type: 'service',
        mfa_requirement: null,
        orphan: true,
        num_uses: 0,
      });
    }
  });

  test(name('a secret id that is null was not sent'), async () => {
    const role_id = await makeRole('open', { bind_secret_id: false });
    for (const path of ['/auth/approle/login', '/v1/auth/approle/login'])
      assert.equal((await server.ask('POST', path, { body: { role_id, secret_id: null } })).status, 200, path);
    const bound = await makeRole('bound');
    for (const path of ['/auth/approle/login', '/v1/auth/approle/login'])
      assert.equal((await server.ask('POST', path, { body: { role_id: bound, secret_id: null } })).status, 400, path);
  });

  // covers: POST /v1/auth/kubernetes/login
  // covers: PUT /v1/auth/kubernetes/login
  // covers: POST /v1/auth/cluster/login
  // covers: PUT /v1/auth/cluster/login
  test(name('a service account signs in under both names of its cluster'), async () => {
    const bound = { bound_service_account_names: ['app'], bound_service_account_namespaces: ['prod'] };
    const made = await machine.admin('POST', '/cluster/role/pods', { jwks_url: provider.jwksUri, ...bound, token_ttl: 600, token_policies: ['k'] });
    assert.equal(made.status, 204, made.text);
    const jwt = await provider.token({ sub: 'system:serviceaccount:prod:app' });
    for (const mount of ['kubernetes', 'cluster'])
      for (const method of BOTH) {
        const auth = open(await server.ask(method, `/v1/auth/${mount}/login`, { body: { role: 'pods', jwt } }), 'auth');
        assert.deepEqual(auth.metadata, { role: 'pods', service_account_namespace: 'prod', service_account_name: 'app' });
        const data = open(await self(auth.client_token), 'data');
        assert.deepEqual([data.accessor, data.path, data.meta], [auth.accessor, 'auth/kubernetes/login', auth.metadata]);
      }
  });

  // covers: GET /v1/auth/token/lookup-self
  test(name('lookup-self tells when the token was made and when it ends'), async () => {
    const at = (time: unknown) => Date.parse(time as string);
    const token = await logIn(await makeRole('timed', { bind_secret_id: false, token_ttl: 600, token_max_ttl: 900, token_policies: ['p'] }));
    const { accessor, creation_time, issue_time, expire_time, ttl, ...data } = open(await self(token), 'data');
    assert.deepEqual(data, {
      id: token,
      policies: ['p'],
      entity_id: 'timed',
      display_name: 'approle-timed',
      meta: { role_name: 'timed' },
      path: 'auth/approle/login',
      type: 'service',
      orphan: true,
      num_uses: 0,
      renewable: true,
      creation_ttl: 600,
      explicit_max_ttl: 900,
    });
    assert.match(accessor, UUID);
    assert.ok(ttl > 590 && ttl <= 600);
    assert.equal(at(expire_time) - at(issue_time), 600_000);
    assert.equal(Math.floor(at(issue_time) / 1000), creation_time);
    await server.runtime.advance(500_000);
    assert.equal((await server.ask('POST', '/v1/auth/token/renew-self', by(token))).body.auth.lease_duration, 400);
    const later = open(await self(token), 'data');
    assert.deepEqual([at(later.expire_time) - at(issue_time), later.creation_ttl, later.accessor], [900_000, 600, accessor]);
  });

  test(name('a token that does not expire says so, and one with an end beyond renewals says that'), async () => {
    const look = async (id: string, role: object) => open(await self(await logIn(await makeRole(id, { bind_secret_id: false, ...role }))), 'data');
    const eternal = await look('eternal', { token_ttl: 0 });
    assert.deepEqual([eternal.ttl, eternal.creation_ttl, eternal.explicit_max_ttl, eternal.expire_time], [0, 0, 0, null]);
    for (const token_ttl of [0, 600]) {
      const mortal = await look(`mortal-${token_ttl}`, { token_ttl, token_max_ttl: 100 });
      assert.deepEqual([mortal.ttl, mortal.creation_ttl, mortal.explicit_max_ttl], [100, 100, 100]);
    }
  });

  // covers: POST /v1/auth/token/renew-self
  // covers: PUT /v1/auth/token/renew-self
  // covers: POST /v1/auth/token/revoke-self
  // covers: PUT /v1/auth/token/revoke-self
  test(name('a token renews and revokes itself by either method'), async () => {
    const role = await makeRole('self', { bind_secret_id: false, token_ttl: 600 });
    for (const method of BOTH) {
      const token = await logIn(role);
      await server.runtime.advance(100_000);
      const auth = open(await server.ask(method, '/v1/auth/token/renew-self', { ...by(token), body: { increment: 0 } }), 'auth');
      assert.deepEqual([auth.client_token, auth.lease_duration, auth.metadata], [token, 600, { role_name: 'self' }]);
      const revoked = await server.ask(method, '/v1/auth/token/revoke-self', by(token));
      assert.deepEqual([revoked.status, revoked.text], [204, '']);
      assert.equal((await self(token)).status, 403);
    }
  });

  // covers: POST /auth/token/lookup
  // covers: POST /auth/token/renew
  // covers: POST /auth/token/revoke
  // covers: POST /v1/auth/token/lookup
  // covers: PUT /v1/auth/token/lookup
  // covers: POST /v1/auth/token/renew
  // covers: PUT /v1/auth/token/renew
  // covers: POST /v1/auth/token/revoke
  // covers: PUT /v1/auth/token/revoke
  test(name('who has another token looks it up, renews and revokes it'), async () => {
    const role = await makeRole('other', { bind_secret_id: false, token_ttl: 600 });
    const mine = await logIn(role);
    for (const [prefix, method] of [['', 'POST'], ...BOTH.map((each) => ['/v1', each])] as ['' | '/v1', 'POST' | 'PUT'][]) {
      const token = await logIn(role);
      const act = (action: string, shown: string | undefined, body: object = { token }) =>
        server.ask(method, `${prefix}/auth/token/${action}`, { ...(shown === undefined ? {} : by(shown)), body });
      await server.runtime.advance(100_000);
      const looked = await act('lookup', mine);
      assert.deepEqual([looked.body.data.id, looked.body.data.ttl > 490 && looked.body.data.ttl <= 500], [token, true]);
      assert.equal((await act('renew', mine, { token, increment: '1h' })).body.auth.lease_duration, 600);
      assert.equal((await act('lookup', token)).status, 200, 'its own');
      // A token is needed to ask, and one that is asked for.
      for (const action of ['lookup', 'renew', 'revoke']) {
        for (const shown of [undefined, '', `hvs.${'x'.repeat(43)}`]) assert.equal((await act(action, shown)).status, 403, `${action} by ${shown}`);
        for (const other of ['', 'nonsense', `hvs.${'x'.repeat(43)}`])
          assert.equal((await act(action, mine, { token: other })).status, 403, `${action} of ${other}`);
        assert.equal((await act(action, mine, {})).status, 400, action);
      }
      assert.equal((await act('revoke', mine)).status, 204);
      for (const action of ['lookup', 'renew', 'revoke']) assert.equal((await act(action, mine)).status, 403, action);
    }
    assert.equal((await self(mine)).status, 200);
  });

  test(name('an administrator manages roles in the same form'), async () => {
    const { cookie } = machine;
    assert.equal((await server.ask('PUT', '/v1/auth/approle/role/managed', { cookie, body: { token_ttl: 60 } })).status, 204);
    assert.equal(open(await server.ask('GET', '/v1/auth/approle/role/managed', { cookie }), 'data').token_ttl, 60);
    // A body that is null is none, as it is for these clients.
    const { secret_id_accessor } = open(await server.ask('PUT', '/v1/auth/approle/role/managed/secret-id', { cookie, body: 'null' }), 'data');
    assert.equal((await server.ask('POST', '/auth/approle/role/managed/secret-id', { cookie, body: 'null' })).status, 400);
    const accessors = async () => open(await server.ask('GET', '/v1/auth/approle/role/managed/secret-id?list=true', { cookie }), 'data').keys;
    assert.deepEqual(await accessors(), [secret_id_accessor]);
    const destroy = '/v1/auth/approle/role/managed/secret-id-accessor/destroy';
    assert.equal((await server.ask('POST', destroy, { cookie, body: { secret_id_accessor } })).status, 204);
    assert.deepEqual(await accessors(), []);
    assert.ok(open(await server.ask('GET', '/v1/auth/approle/role?list=true', { cookie }), 'data').keys.includes('managed'));
    assert.equal((await server.ask('DELETE', '/v1/auth/approle/role/managed', { cookie })).status, 204);
    assert.equal((await machine.admin('GET', '/approle/role/managed')).status, 404);
  });
}

test.run();
