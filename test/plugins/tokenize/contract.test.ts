// The anonymization endpoints over HTTP: who may, one body for whatever is wrong with a request, and the usual one for all else.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { people } from '../../people.ts';
import { type Answer, signInAdmin, startServer, type TestServer } from '../../server.ts';

// covers: POST /tokenize/{method}

const METHODS = ['hash', 'noise', 'word-mask', 'word-tokenize', 'word-pattern-mask', 'aggregate-number', 'aggregate-date', 'scale-number'];

let server: TestServer;
let cookie: string;
/** Of single tests; a failed test leaves none behind. */
const others: TestServer[] = [];
test.before(async () => {
  server = await startServer();
  cookie = await signInAdmin(server);
});
test.after(() => Promise.all([server, ...others].map((each) => each?.end())).then(() => {}));

const ask = (method: string, body?: unknown, headers: Record<string, string> = {}) => server.ask('POST', `/tokenize/${method}`, { cookie, body, headers });

/** Exactly the two members, as JSON. */
function refused({ status, body, headers, text }: Answer, message?: string | RegExp): void {
  assert.equal(status, 422, text);
  assert.deepEqual(Object.keys(body), ['code', 'message']);
  assert.equal(body.code, 422);
  assert.ok(typeof body.message === 'string' && body.message !== '');
  if (typeof message === 'string') assert.equal(body.message, message);
  else if (message) assert.match(body.message, message);
  assert.equal(headers['content-type'], 'application/json; charset=utf-8');
  assert.ok(headers['x-request-id']);
}

function usual({ status, body, text }: Answer, code: string, wanted: number): void {
  assert.equal(status, wanted, text);
  assert.deepEqual(Object.keys(body), ['code', 'message', 'errors', 'request_id']);
  assert.equal(body.code, code);
}

test('each method answers an object with the one member result', async () => {
  const bodies: Record<string, object> = {
    hash: { data: 'a', method: 'SHA2' },
    noise: { data: 1, data_type: 'float', method: 'Uniform', min_bound: 0, max_bound: 1 },
    'word-mask': { data: 'a b', words: ['a'] },
    'word-tokenize': { data: 'a b', words: ['a'] },
    'word-pattern-mask': { data: 'a b', pattern: 'a', replace: 'c' },
    'aggregate-number': { data: 1.5, data_type: 'float', power_of_ten: 0 },
    'aggregate-date': { data: '2024-01-01T00:00:00Z', time_unit: 'Day' },
    'scale-number': { data: 1, data_type: 'float', mean: 0, std_deviation: 1, scale: 1, translate: 0 },
  };
  for (const method of METHODS) {
    const answer = await ask(method, bodies[method], { 'content-type': 'application/json; charset=utf-8' });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(Object.keys(answer.body), ['result']);
    assert.equal(answer.headers['cache-control'], 'no-store');
  }
});

test('integers beyond 2^53 arrive and leave with every digit', async () => {
  const { text } = await ask('scale-number', '{"data":9007199254740993,"data_type":"integer","mean":0,"std_deviation":1,"scale":1,"translate":0}');
  assert.equal(text, '{"result":9007199254740993}');
});

test('whatever is wrong with a request of any method is 422 with exactly code and message', async () => {
  for (const method of METHODS) {
    for (const bad of ['{', '', 'null', '[]', '1', '"text"', '{"data":}', "{'data':1}", '{"data":NaN}', '{"a":1}{"b":2}', '{"data":"\u0001"}'])
      refused(await ask(method, bad));
    refused(await ask(method), 'the body is empty: send a JSON object');
    refused(await ask(method, {}), /: is missing$/);
    refused(await ask(method, { data: 1, unknown: 2 }), '"unknown": unknown member');
    refused(await ask(method, '{"__proto__":{"data":"a"}}'), '"__proto__": unknown member');
    refused(await ask(method, '{"data":"a","data":"b"}'), '/data: stands twice in its object');
    refused(await ask(method, { data: 'x'.repeat(65_536) }), 'the body is too large');
    for (const type of [
      'text/plain',
      'application/jsonx',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json-patch+json',
      'nonsense',
      '',
    ])
      refused(await ask(method, '{}', { 'content-type': type }), 'the content type must be application/json');
    const encoded = await ask(method, '{}', { 'content-encoding': 'gzip' });
    refused(encoded, 'the body is encoded, gzip for example; send it as it is');
    assert.equal(encoded.headers['accept-encoding'], 'identity');
  }
});

test('a body that is no UTF-8, and one that is nested too deeply', async () => {
  const bytes = Buffer.concat([Buffer.from('{"data":"'), Buffer.from([0xff]), Buffer.from('"}')]);
  const { request, Agent } = await import('undici');
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const headers = { 'content-type': 'application/json', cookie: `_ea_=${cookie}` };
  const answer = await request(`${server.address}/tokenize/hash`, { method: 'POST', headers, body: bytes, dispatcher });
  assert.deepEqual([answer.statusCode, await answer.body.json()], [422, { code: 422, message: 'the body is not valid UTF-8' }]);
  await dispatcher.close();
  for (const deep of ['['.repeat(60_000), `{"data":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, '{"a":'.repeat(10_000)])
    refused(await ask('hash', deep), 'the body has more than 64 levels of nesting');
  // Brackets in a text are no nesting.
  assert.equal((await ask('hash', { data: '[{"'.repeat(10_000), method: 'SHA2' })).status, 200);
});

test('who is not authenticated, what is not there and what is not allowed keep the usual body', async () => {
  usual(await server.ask('POST', '/tokenize/hash', { body: '{' }), 'UNAUTHENTICATED', 401);
  usual(await server.ask('POST', '/tokenize/hash', { body: 'x'.repeat(70_000), headers: { 'content-type': 'text/plain' } }), 'UNAUTHENTICATED', 401);
  usual(await server.ask('POST', '/tokenize/hash', { cookie: 'nonsense', body: {} }), 'UNAUTHENTICATED', 401);
  usual(await ask('hash', {}, { origin: 'https://elsewhere.example' }), 'FORBIDDEN', 403);
  for (const path of ['nothing', 'Hash', 'hash/', '', 'toString', 'hash%20']) usual(await ask(path, '{'), 'NOT_FOUND', 404);
  const other = await server.ask('GET', '/tokenize/hash', { cookie });
  usual(other, 'METHOD_NOT_ALLOWED', 405);
  assert.equal(other.headers['allow'], 'POST');
});

test('a user without any right, and a machine with its token, may', async () => {
  const they = people(server, cookie);
  await they.realm('shop');
  await they.user('shop', 'ada', 'ada password');
  const session = await they.session('shop', 'ada', 'ada password');
  const body = { data: 'a', method: 'SHA2' };
  assert.equal((await server.ask('POST', '/tokenize/hash', { cookie: session, body })).status, 200);
  const role = '/auth/approle/role/web';
  await server.ask('POST', role, { cookie, body: { token_ttl: 60 } });
  const { role_id } = (await server.ask('GET', `${role}/role-id`, { cookie })).body.data;
  const { secret_id } = (await server.ask('POST', `${role}/secret-id`, { cookie, body: {} })).body.data;
  const { client_token } = (await server.ask('POST', '/auth/approle/login', { body: { role_id, secret_id } })).body.auth;
  assert.equal((await server.ask('POST', '/tokenize/hash', { headers: { 'x-app-token': client_token }, body })).status, 200);
  usual(await server.ask('POST', '/tokenize/hash', { headers: { 'x-app-token': 'hvs.nonsense' }, body }), 'UNAUTHENTICATED', 401);
});

test('open = true asks for no credentials, and refuses in the same words; body_limit is what it says', async () => {
  const open = await startServer({ config: '[tokenize]\nopen = true\nbody_limit = 2048\n' });
  others.push(open);
  assert.equal((await open.ask('POST', '/tokenize/hash', { body: { data: 'a', method: 'SHA2' } })).status, 200);
  refused(await open.ask('POST', '/tokenize/hash', { body: '{' }));
  refused(await open.ask('POST', '/tokenize/hash', { body: { data: 'x'.repeat(2_048), method: 'SHA2' } }), 'the body is too large');
});

test('enabled = false: 404 for every path and method, nothing runs, and the server is ready', async () => {
  const off = await startServer({ config: '[tokenize]\nenabled = false\n' });
  others.push(off);
  for (const method of METHODS) usual(await off.ask('POST', `/tokenize/${method}`, { body: '{' }), 'NOT_FOUND', 404);
  usual(await off.ask('GET', '/tokenize/hash'), 'NOT_FOUND', 404);
  assert.equal(off.runtime.groups.get('tokenize')?.supervisors.length, 0);
  assert.equal((await off.ask('GET', '/ready')).status, 200);
});

test.run();
