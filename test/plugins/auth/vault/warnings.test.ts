// A role that seems to restrict and does not: members without effect are told in the envelope of Vault, and in the log of the server.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'uvu';
import { until } from '../../../runtime.ts';
import { signInAdmin, startServer, type TestServer } from '../../../server.ts';
import { type Machine, machineOn } from '../machine/setup.ts';

let server: TestServer;
let machine: Machine;
test.before(async () => {
  server = await startServer();
  machine = machineOn(server, await signInAdmin(server), '');
});
test.after(() => server?.end());

const ROLE = '/v1/auth/approle/role/web';
const write = (path: string, body: unknown, method: 'POST' | 'PUT' = 'POST') => server.ask(method, path, { cookie: machine.cookie, body });
const warning = (names: string) => [`the server ignored these members, which have no effect: ${names}`];
const logged = (name: string) => server.lines.filter(({ role }) => role === name).map(({ members }) => members);

test('a role with members that restrict nothing is made, and the answer warns in a body', async () => {
  const restricting = { token_type: 'batch', token_no_default_policy: true, token_period: '1h' };
  for (const method of ['POST', 'PUT'] as const) {
    const { status, body, headers } = await write(ROLE, { token_ttl: 60, ...restricting }, method);
    assert.deepEqual([status, headers['content-type']], [200, 'application/json']);
    const nothing = { lease_id: '', renewable: false, lease_duration: 0, data: null, auth: null, wrap_info: null };
    const warnings = warning('token_type, token_no_default_policy, token_period');
    assert.deepEqual(body, { request_id: headers['x-request-id'], ...nothing, warnings });
  }
  assert.equal((await machine.admin('GET', '/approle/role/web')).body.data.token_ttl, 60);
});

test('an answer with a body warns in it: a secret id, a sign-in', async () => {
  const { body } = await write(`${ROLE}/secret-id`, { metadata: '{}', token_type: 'batch' });
  assert.deepEqual(body.warnings, warning('metadata, token_type'));
  const { role_id } = (await machine.admin('GET', '/approle/role/web/role-id')).body.data;
  const login = await server.ask('POST', '/v1/auth/approle/login', { body: { role_id, secret_id: body.data.secret_id, nonce: 'x' } });
  assert.deepEqual([login.status, login.body.warnings], [200, warning('nonce')]);
});

test('members that are empty or that the server knows warn of nothing', async () => {
  const empty = { token_bound_cidrs: [], token_num_uses: 0, token_period: '0s', token_type: '', token_no_default_policy: false, metadata: {}, x: null };
  const { status, text } = await write(ROLE, { token_policies: ['p'], ...empty });
  assert.deepEqual([status, text], [204, '']);
  const [mine, other] = [await write(`${ROLE}/secret-id`, {}), await write(`${ROLE}/secret-id`, 'null')];
  assert.deepEqual([mine.body.warnings, other.body.warnings], [null, null]);
});

const BOUND = { jwks_url: 'https://c.example/jwks', bound_service_account_names: ['a'], bound_service_account_namespaces: ['b'], token_ttl: 60 };

test('a cluster role warns too', async () => {
  const answer = await write('/v1/auth/kubernetes/role/pods', { ...BOUND, alias_name_source: 'serviceaccount_name' });
  assert.deepEqual([answer.status, answer.body.warnings], [200, warning('alias_name_source')]);
});

test('restrictions that have another name hold: the audience of a cluster role, the end of a token', async () => {
  const role = '/v1/auth/kubernetes/role/bound';
  const audiences = async (members: object) => {
    const { status, text } = await write(role, { ...BOUND, ...members });
    return status === 204 ? (await machine.admin('GET', '/cluster/role/bound')).body.data.bound_audiences : [status, text];
  };
  assert.deepEqual(await audiences({ audience: 'gatehouse' }), ['gatehouse']);
  assert.equal(await audiences({ audience: '' }), undefined);
  assert.deepEqual(await audiences({ bound_audiences: ['a', 'b'], audience: '' }), ['a', 'b']);
  assert.match((await audiences({ bound_audiences: ['a'], audience: 'a' })).join(), /^400,.*must be without `audience` or without `bound_audiences`/);
  for (const [path, members] of [
    ['approle', {}],
    ['cluster', BOUND],
  ] as const)
    for (const [max, explicit, expected] of [
      [0, 90, 90],
      [120, 90, 90],
      [60, 90, 60],
      [60, 0, 60],
    ]) {
      assert.equal((await write(`/v1/auth/${path}/role/last`, { ...members, token_max_ttl: max, token_explicit_max_ttl: explicit })).status, 204);
      assert.equal((await machine.admin('GET', `/${path}/role/last`)).body.data.token_max_ttl, expected);
    }
  assert.equal((await write(ROLE, { token_explicit_max_ttl: '1h' })).status, 400);
});

test('the log names them whichever path was used; the paths of the specification answer as specified', async () => {
  const answer = await machine.admin('POST', '/approle/role/logged', { local_secret_ids: true });
  assert.deepEqual([answer.status, answer.text], [204, '']);
  await write('/v1/auth/approle/role/logged', { token_strictly_bind_ip: true });
  // Fronts in threads of their own tell the log in the main thread.
  await until(() => logged('logged').length === 2, 'both are logged');
  assert.deepEqual(logged('logged').sort(), ['local_secret_ids', 'token_strictly_bind_ip']);
});

test('names that a client made up do not make the warning long', async () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${index}`.padStart(100, 'x'), true]));
  const [text] = (await write(ROLE, many)).body.warnings;
  assert.ok(text.length < 1_300 && text.endsWith(', 24 more'), text);
});

test('the OpenAPI document has the answer with warnings beside the one without a body', async () => {
  const { parse } = createRequire(createRequire(import.meta.url).resolve('@fastify/swagger'))('yaml') as { parse(text: string): { paths: object } };
  const paths = parse((await server.ask('GET', '/openapi.yaml')).text).paths as Record<string, Record<string, { responses: object }>>;
  const statuses = (path: string, method: string) => Object.keys(paths[path]?.[method]?.responses ?? {}).filter((status) => status < '300');
  assert.deepEqual(statuses('/v1/auth/approle/role/{name}', 'put'), ['200', '204']);
  assert.deepEqual(statuses('/auth/approle/role/{name}', 'post'), ['204']);
  assert.deepEqual(statuses('/v1/auth/approle/role/{name}', 'delete'), ['204']);
});

test.run();
