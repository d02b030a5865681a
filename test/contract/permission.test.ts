// Which credentials each route takes; and who may not use it is refused before anybody looks at the query and the body.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { CREDENTIAL_KINDS } from '../../kernel/http/caller/credential.ts';
import type { Route } from '../../kernel/http/route.ts';
import { type People, people } from '../people.ts';
import { signInAdmin } from '../server.ts';
import { filled, nameOf, type RoutedServer, startRoutedServer } from './route-table.ts';

/** Routes that need no credential, or have one of their own in a header or the body. */
const OPEN = [
  ...['GET /', 'GET /public/version', 'GET /.well-known/jwks.json', 'GET /.well-known/certificate-jwks.json', 'GET /download/ca.crt'],
  ...['GET /v1/sys/health', 'GET /v1/sys/init', 'GET /v1/sys/seal-status', 'POST /login', 'GET /sign-in', 'GET /sign-in/session'],
  ...['', '/v1'].flatMap((at) => ['approle', 'cluster', ...(at ? ['kubernetes'] : [])].map((method) => `POST ${at}/auth/${method}/login`)),
  ...['PUT /auth/approle/login', ...['approle', 'cluster', 'kubernetes'].map((method) => `PUT /v1/auth/${method}/login`)],
  ...['', '/v1'].flatMap((at) => [
    `GET ${at}/auth/token/lookup-self`,
    ...['renew-self', 'revoke-self', 'lookup', 'renew', 'revoke'].map((act) => `POST ${at}/auth/token/${act}`),
  ]),
  ...['renew-self', 'revoke-self', 'lookup', 'renew', 'revoke'].map((act) => `PUT /v1/auth/token/${act}`),
];
/** Routes that every kind of credential opens, by the beginning of their paths; a cookie alone opens all others. */
const FOR_EVERY_KIND =
  /^\/(kmip|v1\/crypto|access|tokenize|hsm\/status|me|server-info|interactive-docs|download\/openapi|ai|models|documentary_bases|summarize|translate|context_predict|rag_predict|add_reference|delete_reference)\b/;
const OF_SUPER_ADMINS = ['/access/tombstones', '/access/transfer', '/access/destroy'];
const BY_TOKEN_TOO = ['GET /sessions/{session_id}', 'POST /sessions/introspect', 'POST /sessions/{session_id}'];
/** Routes without a body, for a session and nothing else, that do not say who may use them: they are for everybody, or their handlers say it. */
const FOR_EVERY_SESSION = ['GET /console', 'GET /rights', 'GET /whoami'];
const BY_HANDLER = ['GET /admins/{admin_id}', 'GET /operations/config', 'GET /operations/metrics', 'GET /operations/status'];
/** Routes with a body and a session that every caller may use; what they may do depends on what the body names, or on the caller's objects. */
const FOR_EVERYBODY = [
  'POST /sessions/introspect',
  'POST /sessions/{session_id}',
  'DELETE /sessions',
  'POST /summarize',
  'POST /translate',
  'POST /context_predict',
  'POST /rag_predict',
  'POST /add_reference',
  'DELETE /delete_reference',
];
/** No answer of a refused request may say so. */
const WRONG = ['{', '[]', '{"unknown":1}', '"\\ud800"', 'null'];
const WRONG_QUERY = '?limit=0&limit=x&after=%00&realm=mine&realm=mine&realm=theirs';
const PLACES: Readonly<Record<string, string>> = {
  realm_id: 'theirs',
  username: 'ann',
  admin_id: 'admin',
  name: 'role',
  session_id: 'none',
  object_id: 'none',
};

let server: RoutedServer;
let they: People;
let plain: string;
let eve: string;
/** Headers with credentials that have ended or never were, each before one that is valid. */
let invalid: Record<string, Record<string, string>>;

test.before(async () => {
  server = await startRoutedServer({ config: '[keys]\nrealms = ["theirs"]\n' });
  they = people(server, await signInAdmin(server));
  await they.realm('mine');
  await they.realm('theirs');
  await they.user('mine', 'plain', 'plain password');
  plain = await they.session('mine', 'plain', 'plain password');
  eve = await they.realmAdmin('mine', 'eve');
  invalid = await invalidCredentials();
});

test.after(() => server.end());

const pathOf = (route: Route) => filled(route.path, (name) => PLACES[name] ?? 'none');
/** Those of a session that has ended, of a token that is revoked, and of nobody; a valid session behind them changes nothing. */
async function invalidCredentials(): Promise<typeof invalid> {
  const { root } = they;
  const ended = await they.session('mine', 'plain', 'plain password');
  const { session_id: id } = (await server.ask('POST', '/sessions/introspect', { cookie: ended, body: { cookie: ended } })).body;
  await server.ask('DELETE', '/sessions', { cookie: root, body: { session_ids: [id] } });
  await server.ask('POST', '/auth/approle/role/machine', { cookie: root, body: { bind_secret_id: false } });
  const { role_id } = (await server.ask('GET', '/auth/approle/role/machine/role-id', { cookie: root })).body.data;
  const token: string = (await server.ask('POST', '/auth/approle/login', { body: { role_id } })).body.auth.client_token;
  assert.equal((await server.ask('POST', '/auth/token/revoke-self', { headers: { 'x-app-token': token } })).status, 204);
  const cookie = `_ea_=${root}`;
  return {
    'an ended session': { cookie: `_ea_=${ended}` },
    'an unknown session': { cookie: `_ea_=${'x'.repeat(43)}` },
    'an ended session as Bearer': { authorization: `Bearer ${ended}`, cookie },
    'a password': { authorization: `Basic ${Buffer.from('plain:plain password').toString('base64')}`, cookie },
    'a revoked token': { 'x-app-token': token, cookie },
    'an unknown token': { 'x-app-token': `${token}x`, cookie },
  };
}

const needsSession = ({ auth }: Route) => auth !== 'none' && auth.includes('cookie');

function askWrongly(route: Route, cookie: string | undefined, body: string | undefined, query = WRONG_QUERY) {
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': body === 'null' ? 'text/plain' : 'application/json' };
  return server.ask(route.method, `${pathOf(route)}${query}`, { headers: type, cookie, ...(body === undefined ? {} : { body }) });
}

test('a user without rights gets 403, whatever the query and the body', async () => {
  const guarded = server.routes.filter((route) => needsSession(route) && route.permit && route.path !== '/certify');
  assert.ok(guarded.length >= 60, String(guarded.length));
  for (const route of guarded) {
    for (const body of route.method === 'GET' ? [undefined] : WRONG) {
      const answer = await askWrongly(route, plain, body);
      assert.equal(answer.status, 403, `${nameOf(route)} ${body}: ${answer.text}`);
    }
  }
});

test('an admin of another realm gets 403 as well', async () => {
  const guarded = server.routes.filter((route) => /\{(realm_id|admin_id)\}/.test(route.path) && route.permit);
  assert.ok(guarded.length >= 18, String(guarded.length));
  for (const route of guarded) {
    for (const body of route.method === 'GET' ? [undefined] : WRONG) assert.equal((await askWrongly(route, eve, body)).status, 403, `${nameOf(route)} ${body}`);
  }
});

test('a session of another realm gets 401 from POST /certify before its key is looked at', async () => {
  const certify = server.routes.find(({ path }) => path === '/certify') as Route;
  for (const body of WRONG) {
    const answer = await askWrongly(certify, plain, body, '?realm=theirs');
    assert.deepEqual([answer.status, answer.body.code], [401, 'UNAUTHENTICATED'], body);
    assert.equal((await askWrongly(certify, plain, body, '?realm=mine')).status, 400, body);
  }
});

test('a sign-in without a credential gets 401 before its body is looked at', async () => {
  for (const body of [...WRONG, '{"username":"plain","password":"plain password"}']) {
    for (const authorization of [undefined, 'Basic !', 'Bearer x', 'Negotiate x']) {
      const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
      const answer = await server.ask('POST', '/login?realm=mine', { headers, body });
      assert.deepEqual([answer.status, answer.body.code], [401, 'AUTH_DENIED'], `${authorization} ${body}`);
    }
  }
  const named = await server.ask('POST', '/login?realm=mine', { user: 'plain:plain password', body: { username: 'plain' } });
  assert.deepEqual([named.status, named.body.message], [400, 'body/username: unknown member']);
});

test('nobody gets 401, whatever the query and the body', async () => {
  for (const route of server.routes.filter(needsSession)) {
    for (const body of route.method === 'GET' ? [undefined] : WRONG) {
      const { status } = await askWrongly(route, undefined, body);
      // Clients of Vault expect 403.
      assert.equal(status, route.form ? 403 : 401, `${nameOf(route)} ${body}`);
    }
  }
});

test('a route is open, for a session alone, or for machines too, as this table says', () => {
  const pages = server.routes.filter(({ asset }) => !asset);
  assert.deepEqual(pages.flatMap((route) => (route.auth === 'none' ? [nameOf(route)] : [])).sort(), OPEN.toSorted());
  const kinds = (route: Route) => (route.auth === 'none' ? 'none' : route.auth.toSorted().join(' '));
  const closed = server.routes.filter(({ auth }) => auth !== 'none');
  const asTable = (route: Route) =>
    BY_TOKEN_TOO.includes(nameOf(route))
      ? 'app-token cookie'
      : FOR_EVERY_KIND.test(route.path) && !OF_SUPER_ADMINS.includes(route.path)
        ? CREDENTIAL_KINDS.toSorted().join(' ')
        : 'cookie';
  for (const route of closed) assert.equal(kinds(route), asTable(route), nameOf(route));
  const silent = pages.filter((route) => kinds(route) === 'cookie' && !route.permit && !route.body);
  assert.deepEqual(silent.map(nameOf).sort(), [...FOR_EVERY_SESSION, ...BY_HANDLER].sort());
});

test('every credential that is not valid gets the one answer that none gets, on every route', async () => {
  const answers = new Set<string>();
  const ask = async (route: Route, [name, headers]: [string, Record<string, string>]) => {
    const { status, body } = await server.ask(route.method, pathOf(route), { headers });
    assert.deepEqual([status, body.code], [401, 'UNAUTHENTICATED'], `${nameOf(route)} ${name}`);
    answers.add(JSON.stringify({ ...body, request_id: '' }));
  };
  for (const route of server.routes.filter((each) => needsSession(each) && !each.form && !each.asset))
    await Promise.all(Object.entries(invalid).map((credential) => ask(route, credential)));
  assert.equal(answers.size, 1, [...answers].join());
});

test('every route with a body says before it is read who may use it, or is for everybody', () => {
  const open = server.routes.filter((route) => needsSession(route) && (route.body ?? route.rawBody) && !route.permit && !route.path.startsWith('/tokenize/'));
  assert.deepEqual(open.map(nameOf).sort(), FOR_EVERYBODY.toSorted());
});

test.run();
