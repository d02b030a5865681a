// Who may not use a route is refused before anybody looks at the query and the body, on every route.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { Route } from '../../kernel/http/route.ts';
import { type People, people } from '../people.ts';
import { signInAdmin } from '../server.ts';
import { filled, nameOf, type RoutedServer, startRoutedServer } from './route-table.ts';

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

test.before(async () => {
  server = await startRoutedServer({ config: '[keys]\nrealms = ["theirs"]\n' });
  they = people(server, await signInAdmin(server));
  await they.realm('mine');
  await they.realm('theirs');
  await they.user('mine', 'plain', 'plain password');
  plain = await they.session('mine', 'plain', 'plain password');
  eve = await they.realmAdmin('mine', 'eve');
});

test.after(() => server.end());

const pathOf = (route: Route) => filled(route.path, (name) => PLACES[name] ?? 'none');
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

test('every route with a body says before it is read who may use it, or is for everybody', () => {
  const open = server.routes.filter((route) => needsSession(route) && (route.body ?? route.rawBody) && !route.permit && !route.path.startsWith('/tokenize/'));
  assert.deepEqual(open.map(nameOf).sort(), FOR_EVERYBODY.toSorted());
});

test.run();
