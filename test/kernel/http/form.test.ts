// The form of errors that a route brings, and that of paths that nobody serves: on every way to a refusal, and nowhere else.
import assert from 'node:assert/strict';
import Type from 'typebox';
import { test } from 'uvu';
import { Fault } from '../../../kernel/fault.ts';
import type { ErrorForm, Route } from '../../../kernel/http/route.ts';
import { definePlugin } from '../../../kernel/plugin.ts';
import { type Answer, startServer, type TestServer } from '../../server.ts';

const FORM: ErrorForm = {
  status: (usual) => (usual === 401 ? 403 : usual),
  body: ({ status, code, errors }) => ({ said: [status, code, ...errors] }),
  schema: Type.Object({ said: Type.Array(Type.Unknown()) }),
};
const handle: Route['handle'] = ({ query: { fault } }) => {
  throw fault === undefined ? new Error('a bug') : new Fault(fault);
};
const query = Type.Object({ fault: Type.Optional(Type.String({ maxLength: 64 })), n: Type.Optional(Type.Integer()) }, { maxProperties: 8 });
const body = Type.Object({ a: Type.Integer() }, { additionalProperties: false });

const plugin = definePlugin({
  name: 'formed',
  config: Type.Object({}, { default: {} }),
  unserved: { below: ['/theirs/'], except: ['/theirs/not/'], form: FORM },
  routes: () => [
    { method: 'GET', path: '/theirs/open', auth: 'none', form: FORM, query, handle },
    { method: 'GET', path: '/theirs/closed/{name}', auth: ['cookie'], form: FORM, handle },
    {
      method: 'POST',
      path: '/theirs/open',
      auth: 'none',
      form: FORM,
      body,
      bodyOptional: true,
      nullIsNone: true,
      handle: (request) => ({ status: 200, body: [request.body ?? 'none'] }),
    },
    { method: 'POST', path: '/ours', auth: ['cookie'], body, bodyOptional: true, handle },
  ],
});

let server: TestServer;
test.before(async () => {
  server = await startServer({ plugins: [plugin] });
});
test.after(() => server?.end());

function said({ status, headers, body }: Answer): unknown[] {
  assert.equal(headers['content-type'], 'application/json');
  assert.equal(headers['www-authenticate'], undefined);
  assert.equal(status, body.said[0]);
  return body.said.slice(0, 2);
}

test('every refusal of the route has its form: handler, query, body, credential, parameter and method', async () => {
  const { ask } = server;
  assert.deepEqual(said(await ask('GET', '/theirs/open')), [500, 'INTERNAL']);
  const busy = await ask('GET', '/theirs/open?fault=OVERLOADED');
  assert.deepEqual([said(busy), busy.headers['retry-after']], [[503, 'OVERLOADED'], '1']);
  assert.deepEqual(said(await ask('GET', '/theirs/open?n=x')), [400, 'BAD_REQUEST']);
  assert.deepEqual(said(await ask('POST', '/theirs/open', { body: '{' })), [400, 'BAD_REQUEST']);
  assert.deepEqual(said(await ask('POST', '/theirs/open', { body: { a: 'x' } })), [400, 'BAD_REQUEST']);
  assert.deepEqual(said(await ask('GET', '/theirs/closed/a')), [403, 'UNAUTHENTICATED']);
  assert.deepEqual(said(await ask('DELETE', `/theirs/closed/${'a'.repeat(2_000)}`)), [404, 'NOT_FOUND']);
  const method = await ask('DELETE', '/theirs/open');
  assert.deepEqual([said(method), method.headers['allow']], [[405, 'METHOD_NOT_ALLOWED'], 'GET, POST, HEAD']);
});

test('only unknown paths below the prefix have the form, and no others', async () => {
  for (const path of ['/theirs/', '/theirs/nothing', '/theirs/nothing?x=1', '/theirs/open/deeper'])
    assert.deepEqual(said(await server.ask('GET', path)), [404, 'NOT_FOUND'], path);
  for (const path of ['/theirs', '/theirs/not/here', '/nothing', '/?/theirs/']) assert.equal((await server.ask('GET', path)).body.code, 'NOT_FOUND', path);
  const ours = await server.ask('POST', '/ours');
  assert.deepEqual([ours.status, ours.body.code, ours.headers['www-authenticate']], [401, 'UNAUTHENTICATED', 'Bearer realm="gatehouse"']);
});

test('the body null counts as absent if the route says so', async () => {
  for (const options of [{ body: 'null' }, {}]) assert.deepEqual((await server.ask('POST', '/theirs/open', options)).body, ['none']);
  assert.deepEqual((await server.ask('POST', '/theirs/open', { body: { a: 1 } })).body, [{ a: 1 }]);
});

test.run();
