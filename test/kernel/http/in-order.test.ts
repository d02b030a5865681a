// Requests and bytes that are none on one connection: each answer stands in the place of its request.
import assert from 'node:assert/strict';
import { connect } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';

let server: TestServer;
test.before(async () => {
  server = await startServer();
});
test.after(() => server?.end());

const HOST = 'Host: x\r\n';

test('what is no request is refused after the answers to what came before it, not in their place', async () => {
  const nowhere = `GET /nowhere HTTP/1.1\r\n${HOST}\r\n`;
  const body = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
  for (const [bytes, expected] of [
    [`${nowhere}${nowhere}BAD\r\n\r\n`, [404, 404, 400]],
    [`${nowhere}frob /health HTTP/1.1\r\n${HOST}\r\n`, [404, 400]],
    [`${nowhere}${nowhere}POST /login?realm=_ HTTP/1.1\r\n${HOST}${body}zz\r\n`, [404, 404, 400]],
    [`${nowhere}CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n${nowhere}`, [404, 405]],
    ['CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n', [405]],
  ] as const)
    assert.deepEqual(statuses(await all(bytes)), expected, bytes);
});

test('a request that is being served is answered although something else follows', async () => {
  const slow = `POST /login?realm=_ HTTP/1.1\r\n${HOST}Authorization: Basic ${btoa('admin:not the password')}\r\nContent-Length: 0\r\n\r\n`;
  assert.deepEqual(statuses(await all(slow, 'nonsense\r\n\r\n', 'and more\r\n\r\n')), [401, 400]);
});

test('CONNECT, unknown expectations and encoded bodies are refused with the usual body', async () => {
  const connected = await all('CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n');
  assert.match(connected, /^HTTP\/1.1 405 .*\r\nAllow: \r\n.*"METHOD_NOT_ALLOWED"/s);
  const expecting = await all(`GET /health HTTP/1.1\r\n${HOST}Expect: dance\r\nConnection: close\r\n\r\n`);
  assert.match(expecting, /^HTTP\/1.1 417 .*"EXPECTATION_FAILED"/s);
  const cookie = await signInAdmin(server);
  for (const path of ['/admins/realms', '/kmip']) {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const { status, body, headers: sent } = await server.ask('POST', path, { cookie, headers, body: gzipSync('{}') });
    assert.deepEqual([status, body.code, sent['accept-encoding']], [415, 'ENCODED', 'identity']);
    assert.notEqual((await server.ask('POST', path, { cookie, headers: { ...headers, 'content-encoding': 'identity' }, body: '{}' })).status, 415);
  }
});

function statuses(text: string): readonly number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** @returns everything that the server sends until it closes the connection, for packets sent one after the other */
async function all(...packets: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(server.address);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  socket.setTimeout(10_000, () => socket.destroy(new Error('the connection was not closed')));
  for (const packet of packets) {
    socket.write(packet);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

test.run();
