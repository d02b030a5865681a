// What clients of Vault and OpenBao are refused with: always their form, with statuses that they know, and nothing that tells who exists.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'uvu';
import { nameOf, startRoutedServer } from '../../../contract/route-table.ts';
import { type Answer, type AskOptions, startServer } from '../../../server.ts';
import { testDatabases } from '../../../stores.ts';
import { type Machine, startMachine } from '../machine/setup.ts';

const databases = await testDatabases();
const UNKNOWN = `hvs.${'x'.repeat(43)}`;
let machine: Machine;
test.before(async () => {
  machine = await startMachine(databases[0] as (typeof databases)[number]);
});
test.after(async () => {
  await machine?.server.end();
  for (const database of databases) await database.stop();
});

type Asked = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';

/** Holds the form. @returns the status and what is said */
function refused({ status, headers, body, text }: Answer): [number, readonly string[]] {
  assert.equal(headers['content-type'], 'application/json', text);
  assert.deepEqual(Object.keys(body), ['errors'], text);
  assert.ok(Array.isArray(body.errors) && body.errors.every((each: unknown) => typeof each === 'string'), text);
  assert.equal(headers['www-authenticate'], undefined);
  return [status, body.errors];
}

const ask = (method: Asked, path: string, options: AskOptions = {}) => machine.server.ask(method, path, options);
const statusOf = async (method: Asked, path: string, options: AskOptions = {}) => refused(await ask(method, path, options))[0];

test('a login that fails says the same of a role that is there and of one that is not', async () => {
  const role_id = await machine.makeRole('web');
  const { secret_id } = await machine.makeSecretId('web', { num_uses: 1 });
  const login = async (body: unknown) => refused(await ask('POST', '/v1/auth/approle/login', { body }));
  const wrong = [400, ['the role id or the secret id is not valid']];
  for (const body of [{ role_id, secret_id: 'wrong' }, { role_id }, { role_id, secret_id: null }, { role_id: 'none', secret_id }, { role_id: 'none' }])
    assert.deepEqual(await login(body), wrong, JSON.stringify(body));
  assert.equal((await ask('POST', '/v1/auth/approle/login', { body: { role_id, secret_id } })).status, 200);
  assert.deepEqual(await login({ role_id, secret_id }), [403, ['the secret id is used up']]);
  const cluster = async (body: unknown) => refused(await ask('PUT', '/v1/auth/kubernetes/login', { body }));
  for (const body of [
    { role: 'none', jwt: 'x.y.z' },
    { role: '', jwt: '' },
  ])
    assert.deepEqual(await cluster(body), [400, ['the role or its JWT is not valid']]);
});

test('bodies that cannot be used are 400, and one that is too large 413', async () => {
  const login = (body: unknown) => ask('POST', '/v1/auth/approle/login', { body });
  assert.deepEqual(refused(await login('{')), [400, ['the body is not valid JSON']]);
  assert.deepEqual(refused(await login({ role_id: 1, secret_id: true }))[1].length, 4);
  assert.deepEqual(refused(await login({})), [400, ['body/role_id: is missing']]);
  assert.equal(refused(await login({ role_id: 'x'.repeat(100_000) }))[0], 413);
});

test('a token that is missing, malformed, unknown or revoked is 403, for every action', async () => {
  const revoked = await machine.logIn(await machine.makeRole('gone', { bind_secret_id: false }));
  assert.equal((await ask('POST', '/v1/auth/token/revoke-self', { headers: { 'x-vault-token': revoked } })).status, 204);
  const actions = ['lookup-self', 'renew-self', 'revoke-self', 'lookup', 'renew', 'revoke'] as const;
  for (const token of [undefined, '', 'nonsense', UNKNOWN, revoked])
    for (const action of actions) {
      const headers = token === undefined ? {} : { 'x-vault-token': token };
      const answer = await ask(action === 'lookup-self' ? 'GET' : 'PUT', `/v1/auth/token/${action}`, { headers });
      assert.deepEqual(refused(answer), [403, ['the app token is missing, invalid, expired or revoked']], `${action} ${token}`);
    }
});

test('who may not manage roles is 403, signed in or not', async () => {
  const token = await machine.logIn(await machine.makeRole('nobody', { bind_secret_id: false }));
  const cookie = await machine.signIn('team', 'ann', ['team']);
  for (const path of ['role', 'role/gone', 'role/none', 'role/none/role-id', 'role/none/secret-id'])
    for (const options of [{}, { cookie }, { headers: { 'x-vault-token': token } }, { headers: { 'x-vault-token': 'none' } }])
      assert.equal(await statusOf('GET', `/v1/auth/approle/${path}`, options), 403, path);
  assert.deepEqual(refused(await ask('GET', '/v1/auth/approle/role/none', { cookie: machine.cookie })), [404, ['the role does not exist']]);
});

test('what is not here is 404, by every method: other paths, other mounts, other namespaces', async () => {
  const paths = [
    '',
    'secret/data/app',
    'sys/mounts',
    'sys/nothing',
    'auth',
    'auth/',
    'auth/token',
    'auth/token/create',
    'auth/userpass/login/ann',
    'team/auth/token/lookup-self',
  ];
  for (const path of paths)
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const) assert.equal(await statusOf(method, `/v1/${path}`), 404, path);
  assert.equal((await ask('HEAD', '/v1/secret/data/app')).status, 404);
  assert.equal(await statusOf('POST', '/v1/secret/data/app', { body: '{' }), 404, 'before the body is read');
  assert.equal(await statusOf('GET', '/v1/auth/approle/role/a%20b', { cookie: machine.cookie }), 404, 'no name of a role');
  const inNamespace = (value: string, path: string, method: Asked = 'GET') =>
    ask(method, path, { headers: { 'x-vault-namespace': value }, cookie: machine.cookie });
  for (const namespace of ['team', 'root/team', 'team/'])
    for (const path of ['/v1/auth/approle/role', '/v1/auth/token/lookup-self', '/v1/sys/health', '/v1/sys/seal-status'])
      assert.deepEqual(refused(await inNamespace(namespace, path)), [404, ['this server has no namespaces: remove the header X-Vault-Namespace']], path);
  assert.equal(refused(await inNamespace('team', '/v1/auth/approle/login', 'POST'))[0], 404);
  for (const root of ['', 'root', 'root/', '/']) assert.equal((await inNamespace(root, '/v1/auth/approle/role')).status, 200, root);
});

test('the paths beside them answer as before', async () => {
  for (const path of ['/v1/crypto', '/v1/crypto?x', '/v1/crypto/nothing', '/v2/auth/token/lookup-self', '/auth/nothing', '/v1'])
    assert.equal((await ask('GET', path)).body.code, 'NOT_FOUND', path);
  assert.equal((await ask('POST', '/v1/crypto/encrypt')).body.code, 'UNAUTHENTICATED');
});

test('a method that a path does not take is 405 with those that it does', async () => {
  const answer = await ask('DELETE', '/v1/auth/approle/login');
  assert.deepEqual([refused(answer)[0], answer.headers['allow']], [405, 'POST, PUT']);
  const health = await ask('POST', '/v1/sys/health');
  assert.deepEqual([refused(health)[0], health.headers['allow']], [405, 'GET, HEAD']);
});

test('an answer that is to be wrapped is refused, not given unwrapped', async () => {
  const role_id = await machine.makeRole('wrapped', { bind_secret_id: false });
  const login = (ttl: string) => ask('POST', '/v1/auth/approle/login', { headers: { 'x-vault-wrap-ttl': ttl }, body: { role_id } });
  assert.deepEqual(refused(await login('60')), [400, ['this server does not wrap answers: remove the header X-Vault-Wrap-TTL']]);
  assert.equal((await login('0')).status, 200);
});

test('a sign-in too many is 429 with the time to wait', async () => {
  const limits = { GATEHOUSE_AUTH_LOGIN_RATE_PER_SECOND: '1', GATEHOUSE_AUTH_LOGIN_RATE_BURST: '2' };
  const server = await startServer({ env: limits });
  try {
    const login = (prefix: string) => server.ask('POST', `${prefix}/auth/approle/login`, { body: { role_id: 'none' } });
    assert.equal((await login('')).status, 400);
    assert.equal((await login('/v1')).status, 400);
    const answer = await login('/v1');
    assert.deepEqual([refused(answer)[0], answer.headers['retry-after']], [429, '1']);
  } finally {
    await server.end();
  }
});

test('each route below /auth has its twin below /v1/auth, with the same methods and rules', async () => {
  const server = await startRoutedServer();
  await server.end();
  const byName = new Map(server.routes.map((route) => [nameOf(route), route]));
  const own = server.routes.filter(({ path }) => path.startsWith('/auth/'));
  assert.ok(own.length >= 20);
  for (const route of own) {
    const paths = [route.path, route.path.replace('/auth/cluster/', '/auth/kubernetes/')];
    const methods = route.method === 'POST' || route.method === 'PUT' ? ['POST', 'PUT'] : [route.method];
    for (const twin of paths.flatMap((path) => methods.map((method) => byName.get(`${method} /v1${path}`)))) {
      assert.ok(twin, nameOf(route));
      assert.deepEqual(
        [twin.auth, twin.body, twin.query, twin.bodyLimit, twin.bodyOptional],
        [route.auth, route.body, route.query, route.bodyLimit, route.bodyOptional],
      );
    }
  }
  const twins = server.routes.filter(({ path }) => path.startsWith('/v1/auth/') || path.startsWith('/v1/sys/'));
  assert.deepEqual(twins.filter(({ form }) => !form).map(nameOf), []);
  assert.deepEqual(server.routes.filter(({ form, path }) => form && !path.startsWith('/v1/')).map(nameOf), []);
});

test('the description tells their form and their statuses: no 401, and errors without a code', async () => {
  const { parse } = createRequire(createRequire(import.meta.url).resolve('@fastify/swagger'))('yaml') as { parse(text: string): { paths: Paths } };
  const { text } = await ask('GET', '/openapi.yaml');
  const theirs = Object.entries(parse(text).paths).filter(([path]) => path.startsWith('/v1/auth/') || path.startsWith('/v1/sys/'));
  const operations = theirs.flatMap(([path, methods]) => Object.entries(methods).map(([method, { responses }]) => ({ name: `${method} ${path}`, responses })));
  assert.ok(operations.length >= 35);
  for (const { name, responses } of operations) {
    assert.ok(!responses['401'] && responses['400'] && responses['404'], name);
    // Of health any status may be asked for: test/plugins/auth/vault/seal.test.ts.
    for (const [status, { content }] of Object.entries(responses).filter(([code]) => Number(code) >= 400 && !name.endsWith('/health')))
      assert.deepEqual(Object.keys(content?.['application/json'].schema.properties ?? {}), ['errors'], `${name} ${status}`);
  }
});

type Paths = Record<string, Record<string, { responses: Record<string, { content?: { 'application/json': { schema: { properties?: object } } } }> }>>;

test.run();
