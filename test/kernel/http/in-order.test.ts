// Requests and bytes that are none on one connection: each answer stands in the place of its request.
import assert from 'node:assert/strict';
import { type ConnectionOptions, connect } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';

// A sign-in is the slow request here.
process.env['GATEHOUSE_TEST_PASSWORD_COST'] = 'full';

let server: TestServer;
let cookie: string;
test.before(async () => {
  server = await startServer({ config: '[http]\nrequest_timeout = 4\n' });
  cookie = await signInAdmin(server);
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

test('a request that was answered before its body failed or stayed away gets no second answer', async () => {
  const chunked = `${HOST}Transfer-Encoding: chunked\r\n\r\n`;
  for (const [begin, expected] of [
    ['POST /nowhere', 404],
    ['POST /health', 405],
    ['POST /admins/realms', 401],
    ['POST /kmip', 401],
    ['POST /auth/token/renew-self', 403],
    ['GET /health', 200],
    ['GET /sign-in', 200],
  ] as const) {
    const head = `${begin} HTTP/1.1\r\n${chunked}`;
    assert.deepEqual(statuses(await all(head, 'zz\r\n\r\n')), [expected], begin);
    assert.equal(statuses(await all(`${head}zz\r\n\r\n`)).length, 1, `${begin}, at once`);
  }
  assert.deepEqual(statuses(await all(`GET /health HTTP/1.1\r\n${HOST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`)), [400]);
  assert.deepEqual(statuses(await all(`POST /nowhere HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\n{}`, 'BAD\r\n\r\n')), [404, 400]);
  assert.deepEqual(statuses(await all(`POST /nowhere HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\n`)), [404]);
});

test('a live view is not cut open by what its request had behind it', async () => {
  const view = `GET /operations/status HTTP/1.1\r\n${HOST}Accept: text/event-stream\r\nCookie: _ea_=${cookie}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const { hostname, port } = new URL(server.address);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  let text = '';
  socket.on('data', (data) => {
    text += String(data);
    if (text.includes('event: state')) socket.write('zz\r\n\r\n', () => setTimeout(() => socket.destroy(), 500));
  });
  socket.write(view);
  await new Promise((resolve) => socket.once('close', resolve));
  assert.deepEqual(statuses(text), [200], text);
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
  for (const path of ['/admins/realms', '/kmip']) {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const { status, body, headers: sent } = await server.ask('POST', path, { cookie, headers, body: gzipSync('{}') });
    assert.deepEqual([status, body.code, sent['accept-encoding']], [415, 'ENCODED', 'identity']);
    assert.notEqual((await server.ask('POST', path, { cookie, headers: { ...headers, 'content-encoding': 'identity' }, body: '{}' })).status, 415);
  }
});

test('a client that waits before its body is told to go on only if the body is read, and in its turn', async () => {
  const get = `GET /health HTTP/1.1\r\n${HOST}\r\n`;
  const realms = (length: number, more = '') =>
    `POST /admins/realms HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-Continue\r\n${more}\r\n`;
  const signedIn = `Cookie: _ea_=${cookie}\r\n`;
  for (const [packets, expected] of [
    [[realms(2)], [401]],
    [[realms(9_999_999, signedIn)], [413]],
    [[realms(2, `${signedIn}Content-Encoding: gzip\r\n`)], [415]],
    [[realms(2).replace('/admins/realms', '/nowhere')], [404]],
    [
      [`${get}${realms(2, `${signedIn}Connection: close\r\n`)}`, '{}'],
      [200, 100, 400],
    ],
    [
      [realms(2, signedIn), '{}', get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')],
      [100, 400, 200],
    ],
    [[realms(2, signedIn).replace('HTTP/1.1', 'HTTP/1.0'), '{}'], [400]],
  ] as const)
    assert.deepEqual(statuses(await all(...packets)), expected, packets.join(''));
});

test('a request for another protocol is answered in this one, and as the last of its connection', async () => {
  const get = `GET /health HTTP/1.1\r\n${HOST}`;
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
  const body = 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
  for (const parts of [
    [`${get}\r\n${get}${upgrade}\r\n${get}\r\n`],
    // The first half of the last request would be lost, and its second half would be the beginning of one.
    [`${get}\r\n${get}${upgrade}\r\n${get}X-Half: `, `GET /nowhere HTTP/1.1\r\n${HOST}\r\n`],
    [`${get}\r\n`, `${get}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n`, `${get}\r\n`],
  ])
    assert.deepEqual(statuses(await all(...parts)), [200, 200], parts.join(''));
  const posted = await all(`POST /login?realm=_ HTTP/1.1\r\n${HOST}${upgrade}${body}${get}\r\n`);
  assert.deepEqual(statuses(posted), [401]);
  assert.match(posted, /\r\nconnection: close\r\n/i);
});

/** A sign-in without one is refused before its body is read. */
const CREDENTIAL = `Authorization: Basic ${Buffer.from('nobody:nothing').toString('base64')}\r\n`;
/** More than fits into the buffers of TCP, so that the client still sends when it is refused. */
const MUCH = 'a'.repeat(8_388_608);

test('who is still sending can send all of it, and then reads why it was refused', async () => {
  const post = `POST /login?realm=_ HTTP/1.1\r\n${HOST}${CREDENTIAL}Content-Type: application/json\r\n`;
  for (const [bytes, expected] of [
    [`GET /health HTTP/1.1\r\n${HOST}X: ${MUCH}`, 431],
    [`\0${MUCH}`, 400],
    [`${post}Transfer-Encoding: chunked\r\n\r\nzz${MUCH}`, 400],
    [`${post}Content-Length: ${MUCH.length}\r\n\r\n${MUCH}`, 413],
    [`${post}Transfer-Encoding: chunked\r\n\r\n${MUCH.length.toString(16)}\r\n${MUCH}\r\n0\r\n\r\n`, 413],
    [`CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n${MUCH}`, 405],
  ] as const)
    assert.deepEqual(await sentThenRead(bytes), [expected], bytes.slice(0, 60));
});

test('what follows a last answer is not served, though the connection lingers', async () => {
  const large = `POST /login?realm=_ HTTP/1.1\r\n${HOST}${CREDENTIAL}Content-Type: application/json\r\nContent-Length: 70000\r\n\r\n`;
  const realm = JSON.stringify({ id: 'late' });
  const late = `POST /admins/realms HTTP/1.1\r\n${HOST}Cookie: _ea_=${cookie}\r\nContent-Type: application/json\r\nContent-Length: ${realm.length}\r\n\r\n${realm}`;
  assert.deepEqual(await sentThenRead(large, ' '.repeat(70_000), late), [413]);
  assert.equal((await server.ask('GET', '/admins/realms/late', { cookie })).status, 404);
  assert.deepEqual(statuses(await all(late.replace('HTTP/1.1\r\n', 'HTTP/1.1\r\nConnection: close\r\n'))), [201]);
});

test('a client that never ends is not waited for', async () => {
  const began = performance.now();
  const { hostname, port } = new URL(server.address);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, allowHalfOpen: true } as ConnectionOptions);
  socket.on('error', () => {});
  socket.resume();
  socket.write('BAD\r\n\r\n');
  const more = setInterval(() => socket.write('more'), 50);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(more);
  assert.ok(performance.now() - began < 10_000);
});

/** As a client that reads nothing before it has sent everything. */
async function sentThenRead(...packets: readonly string[]): Promise<readonly number[]> {
  const { hostname, port } = new URL(server.address);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, allowHalfOpen: true } as ConnectionOptions);
  socket.setTimeout(10_000, () => socket.destroy(new Error('the connection was not closed')));
  for (const packet of packets) {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.write(packet, () => resolve());
    });
    await new Promise((resolve) => setTimeout(resolve, packets.length > 1 ? 100 : 0));
  }
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  socket.end();
  return statuses(text);
}

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
