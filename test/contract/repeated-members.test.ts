// A member that stands twice is refused on every route that reads JSON, whatever else the body has, because others could read the first one.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { Route } from '../../kernel/http/route.ts';
import { signInAdmin } from '../server.ts';
import { filled, nameOf, type RoutedServer, startRoutedServer } from './route-table.ts';

/** What reads no JSON: forms, and bodies that have no meaning. */
const WITHOUT_JSON: ReadonlySet<string> = new Set([
  'POST /summarize',
  'POST /translate',
  'POST /context_predict',
  'POST /rag_predict',
  'POST /add_reference',
  'DELETE /delete_reference',
  'POST /auth/token/renew-self',
  'POST /auth/token/revoke-self',
]);
/** Their callers show a token of their own, before the body is read. */
const BEHIND_TOKEN = /^(\/v1)?\/auth\/token\//;
const TWICE = '{"a":{"name":1,"\\u006eame":1}}';

let server: RoutedServer;
let root: string;

test.before(async () => {
  server = await startRoutedServer();
  root = await signInAdmin(server);
});
test.after(() => server.end());

const send = (route: Route, body: string) =>
  server.ask(
    route.method,
    filled(route.path, () => 'none'),
    { cookie: root, headers: { 'content-type': 'application/json' }, body },
  );

test('each route with a body names the member', async () => {
  const routes = server.routes.filter(
    (route) => (route.body || route.rawBody) && !WITHOUT_JSON.has(nameOf(route)) && !/^\/(login|kmip)/.test(route.path) && !BEHIND_TOKEN.test(route.path),
  );
  assert.ok(routes.length > 50, String(routes.length));
  for (const route of routes) {
    const answer = await send(route, TWICE);
    const isTokenize = route.path.startsWith('/tokenize/');
    // Without a body, the two calls of the crypto API read none.
    if (route.rawBody && !route.body) continue;
    assert.equal(answer.status, isTokenize ? 422 : 400, `${nameOf(route)}: ${answer.text}`);
    assert.match(answer.text, /\/a\/name/, nameOf(route));
  }
});

test('so does the sign-in', async () => {
  const body = '{"totp":"000000","totp":"000001"}';
  const answer = await server.ask('POST', '/login?realm=_', { user: 'admin:wrong', headers: { 'content-type': 'application/json' }, body });
  assert.equal(answer.status, 400, answer.text);
  assert.deepEqual(answer.body.errors, ['body/totp: stands twice in its object']);
});

test('and KMIP, whose values may stand in any order beside members that nobody knows', async () => {
  const headers = { 'content-type': 'application/json' };
  for (const [path, body] of [
    ['/kmip/2_1', '{"tag":"Query","value":[],"value":[]}'],
    ['/kmip/2_1', '{"tag":"Query","more":{"a":1,"a":1},"value":[]}'],
    ['/kmip/1_4', '{"tag":"Query","value":[{"tag":"QueryFunction","type":"Enumeration","value":"QueryOperations","type":"Enumeration"}]}'],
    ['/kmip', '{"tag":"Query","tag":"Query","value":[]}'],
  ] as const) {
    const answer = await server.ask('POST', path, { cookie: root, headers, body });
    assert.equal(answer.status, 422, answer.text);
    assert.match(answer.body.message, /^Invalid_Message: a member stands twice in its object: \/(value|more\/a|value\/0\/type|tag)$/);
  }
  // What was refused before has the reason that it had.
  const unknown = await server.ask('POST', '/kmip/2_1', { cookie: root, headers, body: '{"tag":"Query","value":[{"tag":"Nobody","tag":"Nobody"}]}' });
  assert.match(unknown.body.message, /unknown tag/);
});

test('what is refused for another reason keeps it', async () => {
  const post = async (body: string) =>
    (await server.ask('POST', '/admins/realms', { cookie: root, headers: { 'content-type': 'application/json' }, body })).body;
  assert.match((await post('{"a":1,"a":1')).message, /not valid JSON/);
  assert.match((await post(`{"a":1,"a":${'['.repeat(65)}${']'.repeat(65)}}`)).message, /nested too deeply/);
  assert.match((await post('{"a":"\\ud800","a":"\\ud800"}')).message, /half of a surrogate pair/);
});

test.run();
