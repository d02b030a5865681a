// GET /version: a plain text, or a string of JSON to those who would rather have it.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { startServer, type TestServer } from '../../server.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const PLAIN = 'text/plain; charset=utf-8';

async function answers(server: TestServer, accept?: string): Promise<unknown[]> {
  const { status, text, headers } = await server.ask('GET', '/version', accept === undefined ? {} : { headers: { accept } });
  assert.equal(headers['vary'], 'accept');
  return [status, headers['content-type'], text];
}

test('a client that prefers JSON gets a JSON string', async () => {
  const server = await startServer();
  for (const accept of ['application/json', 'Application/JSON;q=0.9, text/plain; q=0.5', 'application/*', 'text/plain;q=0, */*', 'application/json, */*;q=0.1'])
    assert.deepEqual(await answers(server, accept), [200, JSON_TYPE, '"0.0.0-test"'], accept);
  for (const accept of [
    undefined,
    '*/*',
    'text/html, */*;q=0.8',
    'text/plain',
    'application/json;q=0.1, text/*',
    'application/json, text/plain',
    'application/json;q=none',
    'image/png',
    '',
  ])
    assert.deepEqual(await answers(server, accept), [200, PLAIN, '0.0.0-test'], accept);
  await server.end();
});

test('with compact JSON names, a client without a preference gets JSON too', async () => {
  const server = await startServer({ config: '[keys]\njson_names = "compact"\n' });
  for (const accept of [undefined, '*/*', 'application/json']) assert.deepEqual(await answers(server, accept), [200, JSON_TYPE, '"0.0.0-test"'], accept);
  assert.deepEqual(await answers(server, 'text/plain'), [200, PLAIN, '0.0.0-test']);
  await server.end();
});

test('the OpenAPI document names both types', async () => {
  const server = await startServer();
  const { text } = await server.ask('GET', '/openapi.yaml');
  const described = text.slice(text.indexOf('\n  /version:'));
  for (const type of ['text/plain; charset=utf-8', 'application/json']) assert.ok(described.slice(0, 1_000).includes(type), type);
  await server.end();
});

test.run();
