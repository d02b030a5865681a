// The front: order of work, bad input, foreign pages, methods, headers, certificates, and a graceful end.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import Type from 'typebox';
import { test } from 'uvu';
import { Fault } from '../../../kernel/fault.ts';
import { definePlugin } from '../../../kernel/plugin.ts';
import { BUILT_IN } from '../../../plugins/index.ts';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';

const DAY_MS = 86_400_000;
const held: { release?: () => void } = {};
/** Routes that a test needs and the product has not. */
const extra = definePlugin({
  name: 'extra',
  config: Type.Object({}, { default: {} }),
  routes: () => [
    {
      method: 'POST',
      path: '/extra/{id}',
      auth: 'none',
      query: Type.Object({ n: Type.Optional(Type.Integer()) }),
      body: Type.Object(
        { a: Type.Integer(), b: Type.Optional(Type.Array(Type.String())), data: Type.Optional(Type.Unsafe({ 'x-max-bytes': 8 })) },
        { additionalProperties: false },
      ),
      handle: ({ body, params, query }) => ({ status: 200, body: { body, params, query } }),
    },
    {
      method: 'GET',
      path: '/extra/slow',
      auth: 'none',
      handle: () =>
        new Promise((resolve) => {
          held.release = () => resolve({ status: 200, body: { done: true } });
        }),
    },
    {
      method: 'GET',
      path: '/extra/bug',
      auth: 'none',
      handle: () => {
        throw Object.assign(new Error('secret text'), { statusCode: 418, headers: { 'x-evil': '1' } });
      },
    },
    { method: 'GET', path: '/extra/null', auth: 'none', handle: () => ({ status: 200, body: null }) },
    {
      method: 'GET',
      path: '/extra/page/{name}',
      auth: ['cookie'],
      page: true,
      handle: ({ params }) => ({ status: 200, body: `<p>${params['name']}`, type: 'text/html; charset=utf-8' }),
    },
  ],
});

let server: TestServer;
let cookie: string;
test.before(async () => {
  server = await startServer({ plugins: [...BUILT_IN, extra] as never, config: '[http]\nbody_limit = 4096\nrequest_timeout = 2\n' });
  cookie = await signInAdmin(server);
});
test.after(() => server?.end());

const isProblem = (answer: { status: number; body: Record<string, unknown>; headers: Record<string, unknown> }, status: number, code: string) => {
  assert.deepEqual([answer.status, answer.body['code']], [status, code]);
  assert.deepEqual(Object.keys(answer.body), ['code', 'message', 'errors', 'request_id']);
  assert.equal(answer.body['request_id'], answer.headers['x-request-id']);
};

test('malformed JSON, wrong content type, wrong types, missing and unknown members: 400 that names them', async () => {
  const post = (body: unknown, headers = {}) => server.ask('POST', '/extra/7', { body, headers });
  for (const text of ['{', '{"a":1}x', '\u0000', '{"a":1,}', "{'a':1}"]) isProblem(await post(text), 400, 'BAD_REQUEST');
  const wrongType = await post('a=1', { 'content-type': 'application/x-www-form-urlencoded' });
  isProblem(wrongType, 400, 'BAD_REQUEST');
  assert.equal(wrongType.body.message, 'the content type must be application/json');
  isProblem(await server.ask('POST', '/extra/7', { body: '{"a":1}', headers: { 'content-type': 'text/plain' } }), 400, 'BAD_REQUEST');
  const many = await post({ a: '1', b: [1], c: 1, __proto__: 1 });
  isProblem(many, 400, 'BAD_REQUEST');
  assert.deepEqual([...many.body.errors].sort(), ['body/a: must be integer', 'body/b/0: must be string', 'body/c: unknown member']);
  assert.deepEqual((await post('{"a":1,"__proto__":{"x":1}}')).body.errors, ['body/__proto__: unknown member']);
  assert.deepEqual((await post({})).body.errors, ['body/a: is missing']);
  assert.deepEqual((await post('')).body.errors, ['body: must be object']);
  for (const n of ['x', '', '0x10', '1e2', '1.0', '%205', '5%20', '%2B5', '\u0665', '5&n=5'])
    assert.deepEqual((await server.ask('POST', `/extra/7?n=${n}`, { body: { a: 1 } })).body.errors, ['query/n: must be integer'], n);
  assert.deepEqual((await server.ask('POST', '/extra/7?n=5', { body: { a: 1 } })).body, { body: { a: 1 }, params: { id: '7' }, query: { n: 5 } });
});

test('a body has 64 levels and no more, whatever its texts contain; a value has its bytes as compact JSON', async () => {
  const refusal = async (a: string) => (await server.ask('POST', '/extra/7', { body: `{"a":${a}}` })).body.errors;
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const tooDeep = ['the body is nested too deeply; at most 64 levels are allowed'];
  // The body itself is the first level.
  assert.deepEqual(await refusal(nested(63)), ['body/a: must be integer']);
  assert.deepEqual(await refusal(nested(64)), tooDeep);
  assert.deepEqual(await refusal(`[${`${nested(62)},`.repeat(9)}0]`), ['body/a: must be integer']);
  for (const text of ['[', '{', '\\"[', '\\\\', ']\\"{', '\\u005b'])
    assert.deepEqual(await refusal(`["${text.repeat(200)}"]`), ['body/a: must be integer'], text);
  assert.deepEqual(await refusal(`["\\\\",${nested(64)}]`), tooDeep);
  const sized = async (data: unknown) => (await server.ask('POST', '/extra/7', { body: { a: 1, data } })).body;
  assert.deepEqual((await sized({ é: 1 })).body, { a: 1, data: { é: 1 } });
  assert.deepEqual((await sized({ é: 12 })).errors, ['body/data: must not have more than 8 bytes as compact JSON']);
});

test('invalid UTF-8 is refused, not replaced', async () => {
  const { status, body } = await raw(
    server,
    'POST /extra/7 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n',
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x22, 0x78, 0x22, 0x7d]),
  );
  assert.equal(status, 400);
  assert.equal(JSON.parse(body).message, 'the body is not valid JSON');
});

test('escapes in a query that are no UTF-8 are refused, as in a path', async () => {
  const query = (text: string) => server.ask('POST', `/extra/1?${text}`, { body: { a: 1 } });
  for (const text of ['x=%E9', 'x=%', 'n=1&x=%zz', 'x=%ED%A0%80', '%C3']) {
    const { status, body } = await query(text);
    assert.deepEqual([status, body.message], [400, 'the escapes of the target must be UTF-8'], text);
  }
  for (const text of ['x=%C3%A9+%00', 'x=100%25', '']) assert.equal((await query(text)).status, 200, text);
  assert.equal((await server.ask('POST', '/extra/%E9', { body: { a: 1 } })).status, 400);
});

test('a body over the limit is refused before it is read, by its announced length and by its real one', async () => {
  const announced = await raw(server, 'POST /extra/7 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n');
  assert.deepEqual([announced.status, JSON.parse(announced.body).code], [413, 'PAYLOAD_TOO_LARGE']);
  const chunk = `${(3_000).toString(16)}\r\n${'x'.repeat(3_000)}\r\n`;
  const chunked = await raw(
    server,
    `POST /extra/7 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\n`,
  );
  assert.equal(chunked.status, 413);
});

test('authentication comes before the body: 401 whatever the body contains', async () => {
  for (const body of ['{', 'x'.repeat(10_000), '{"unknown":1}']) isProblem(await server.ask('DELETE', '/sessions', { body }), 401, 'UNAUTHENTICATED');
  isProblem(await server.ask('DELETE', '/sessions', { cookie, body: '{' }), 400, 'BAD_REQUEST');
});

test('the first credential that is present decides; the others are not tried', async () => {
  const answers = [
    await server.ask('GET', '/whoami'),
    await server.ask('GET', '/whoami', { cookie: 'nonsense' }),
    await server.ask('GET', '/whoami', { cookie: cookie.slice(0, -1) }),
    await server.ask('GET', '/whoami', { cookie: `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}` }),
    await server.ask('GET', '/whoami', { cookie, user: 'admin:a new password' }),
    await server.ask('GET', '/whoami', { cookie, headers: { authorization: 'Bearer x' } }),
    await server.ask('GET', '/whoami', { cookie, headers: { 'x-app-token': 'x' } }),
  ];
  for (const answer of answers) {
    isProblem(answer, 401, 'UNAUTHENTICATED');
    assert.equal(answer.headers['www-authenticate'], 'Bearer realm="gatehouse"');
  }
});

test('a route that a cookie authorises refuses foreign pages', async () => {
  const host = new URL(server.address).host;
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: `http://${host}` },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    isProblem(await server.ask('GET', '/whoami', { cookie, headers: headers as never }), 403, 'FORBIDDEN');
  }
  for (const headers of [{ origin: `https://${host}` }, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }])
    assert.equal((await server.ask('GET', '/whoami', { cookie, headers: headers as never })).status, 200);
});

test('the origin of a page is its host and port, however a client or a proxy writes them', async () => {
  for (const [host, origin, expected] of [
    ['Gate.Example', 'https://gate.example', 200],
    ['gate.example:443', 'https://gate.example', 200],
    ['gate.example:8443', 'https://gate.example:8443', 200],
    ['gate.example:8443', 'https://gate.example', 403],
    ['gate.example', 'https://gate.example.evil', 403],
    ['gate.example:80', 'http://gate.example', 403],
    ['', 'null', 403],
  ] as const) {
    const { status } = await raw(server, `GET /whoami HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nCookie: _ea_=${cookie}\r\n\r\n`);
    assert.equal(status, expected, `${host} ${origin}`);
  }
});

test('a page asked for as HTML without a valid session leads to /sign-in and back; programs get 401', async () => {
  const ask = (path: string, accept: string, more = {}) => server.ask('GET', path, { headers: { accept }, ...more });
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const path = '/extra/page/a%2Fb?x=1&y=%26';
  const sent = await ask(path, browser);
  assert.deepEqual([sent.status, sent.headers['location'], sent.text], [303, `/sign-in?next=${encodeURIComponent(path)}`, '']);
  assert.equal(sent.headers['cache-control'], 'no-store');
  const ended = await ask(path, browser, { cookie: 'nonsense' });
  assert.deepEqual([ended.status, ended.headers['location']], [303, `/sign-in?next=${encodeURIComponent(path)}&ended=yes`], 'who had a session is told');
  for (const accept of ['*/*', 'application/json', 'text/html;q=0, */*', 'text/htmlx']) isProblem(await ask(path, accept), 401, 'UNAUTHENTICATED');
  isProblem(await ask('/whoami', browser), 401, 'UNAUTHENTICATED');
  assert.equal((await ask(path, browser, { cookie })).text, '<p>a/b');
  const elsewhere = await raw(server, 'GET https://evil.example/extra/page/x HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n');
  assert.equal(elsewhere.status, 303);
  assert.ok(!elsewhere.head.includes('evil'), elsewhere.head);
});

test('a link on another server of this domain, which brings the cookie, leads to /sign-in and back too', async () => {
  const link = { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' };
  const sent = await server.ask('GET', '/extra/page/a?x=1', { cookie, headers: { ...link, accept: 'text/html' } });
  assert.deepEqual([sent.status, sent.headers['location'], sent.text], [303, `/sign-in?next=${encodeURIComponent('/extra/page/a?x=1')}`, '']);
  isProblem(await server.ask('GET', '/extra/page/a', { cookie, headers: { ...link, accept: '*/*' } }), 403, 'FORBIDDEN');
  isProblem(await server.ask('GET', '/whoami', { cookie, headers: { ...link, accept: 'text/html' } }), 403, 'FORBIDDEN');
});

test('HEAD tells no length where GET tells none: of an answer that has not changed, or has no content', async () => {
  const { etag } = (await server.ask('GET', '/sign-in')).headers;
  for (const [path, headers, status] of [
    ['/sign-in', { 'if-none-match': String(etag) }, 304],
    ['/v1/sys/health?activecode=204', {}, 204],
  ] as const) {
    const answers = [await server.ask('GET', path, { headers }), await server.ask('HEAD', path, { headers })];
    for (const answer of answers)
      assert.deepEqual([answer.status, answer.headers['content-length'], answer.headers['transfer-encoding']], [status, undefined, undefined]);
  }
  assert.equal((await server.ask('HEAD', '/health')).headers['content-length'], '15');
});

test('unknown paths are 404, other methods 405 with Allow, HEAD is GET', async () => {
  isProblem(await server.ask('GET', '/nowhere'), 404, 'NOT_FOUND');
  isProblem(await server.ask('GET', '/%00'), 404, 'NOT_FOUND');
  isProblem(await server.ask('GET', '/%zz'), 400, 'BAD_REQUEST');
  const other = await server.ask('PUT', '/whoami');
  isProblem(other, 405, 'METHOD_NOT_ALLOWED');
  assert.equal(other.headers['allow'], 'GET, HEAD');
  isProblem(await server.ask('POST', '/health', { body: {} }), 405, 'METHOD_NOT_ALLOWED');
  assert.deepEqual([(await server.ask('HEAD', '/health')).status, (await server.ask('HEAD', '/health')).text], [200, '']);
  assert.equal((await server.ask('GET', '/login?realm=_')).status, 405);
  // A method that is none is one that the path does not have.
  for (const [path, status, code] of [
    ['/whoami', 405, 'METHOD_NOT_ALLOWED'],
    ['/nowhere', 404, 'NOT_FOUND'],
  ] as const) {
    const none = await raw(server, `FROB ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    assert.deepEqual([none.status, JSON.parse(none.body).code, /^allow: GET, HEAD\r$/im.test(`${none.head}\r`)], [status, code, status === 405]);
  }
  isProblem(await server.ask('POST', '/login', { user: 'a:b' }), 400, 'BAD_REQUEST');
});

test('every answer carries the security headers; null is JSON', async () => {
  for (const path of ['/health', '/nowhere', '/whoami', '/extra/null']) {
    const { headers } = await server.ask('GET', path);
    assert.deepEqual(
      [headers['cache-control'], headers['x-content-type-options'], headers['strict-transport-security']],
      ['no-store', 'nosniff', 'max-age=31536000'],
      path,
    );
  }
  const { text, headers } = await server.ask('GET', '/extra/null');
  assert.deepEqual([text, headers['content-type']], ['null', 'application/json; charset=utf-8']);
});

test('status, headers and text of a thrown object are ignored', async () => {
  const answer = await server.ask('GET', '/extra/bug');
  isProblem(answer, 500, 'INTERNAL');
  assert.equal(answer.headers['x-evil'], undefined);
  assert.ok(!answer.text.includes('secret text'));
  const line = server.lines.find(({ request_id }) => request_id === answer.body.request_id);
  assert.match(String(line?.['trace']), /secret text/);
});

test('a slow client gets 408, bytes that are not HTTP get 400, large headers get 431', async () => {
  const slow = await raw(server, 'POST /extra/7 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{"a"', undefined, 15_000);
  assert.equal(slow.status, 408);
  const garbage = await raw(server, '\u0016\u0003 nonsense\r\n\r\n');
  assert.deepEqual([garbage.status, JSON.parse(garbage.body).code], [400, 'BAD_REQUEST']);
  const large = await raw(server, `GET /health HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`);
  assert.deepEqual([large.status, JSON.parse(large.body).code], [431, 'HEADERS_TOO_LARGE']);
  const refused = [
    slow,
    garbage,
    large,
    await raw(server, 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n'),
    await raw(server, 'FETCH /health HTTP/1.1\r\n\r\n'),
  ];
  for (const { head, body } of refused) {
    assert.equal(/^x-request-id: (.+)$/im.exec(head)?.[1], JSON.parse(body).request_id, head);
    for (const expected of [/^date: .+ GMT$/im, /^cache-control: no-store$/im, /^strict-transport-security: max-age=\d+$/im]) assert.match(head, expected);
    assert.equal(head.match(/^x-request-id:/gim)?.length, 1);
  }
});

test('what proxies could read differently is refused, and ends its connection: hosts, versions, codings', async () => {
  const chunked = 'Content-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n';
  for (const [request, message] of [
    ['GET /health HTTP/1.1\r\n\r\n', /Host/],
    ['GET /health HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n', /Host/],
    ['GET /health HTTP/1.1\r\nHost: x/y\r\n\r\n', /Host/],
    ['GET /health HTTP/1.1\r\nHost: x@y\r\n\r\n', /Host/],
    ['GET /health\r\n\r\n', /version/],
    ['GET /health HTTP/2.0\r\nHost: x\r\n\r\n', /version/],
    [`POST /extra/7 HTTP/1.1\r\nHost: x\r\n${chunked}`, /transfer coding/],
    [`POST /extra/7 HTTP/1.0\r\nConnection: keep-alive\r\n${chunked.replace('gzip, ', '')}`, /transfer coding/],
    ['GET /health#fragment HTTP/1.1\r\nHost: x\r\n\r\n', /target/],
    ['GET * HTTP/1.1\r\nHost: x\r\n\r\n', /target/],
    ['GET file:///health HTTP/1.1\r\nHost: x\r\n\r\n', /target/],
  ] as const) {
    const { status, head, body } = await raw(server, request);
    assert.equal(status, 400, request);
    assert.match(JSON.parse(body).message, message, request);
    assert.match(head, /^connection: close$/im, request);
  }
  const twice = await raw(server, `GET /whoami HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${cookie}\r\nAuthorization: Bearer x\r\n\r\n`);
  assert.equal(twice.status, 401);
  for (const host of ['x', 'x:443', '127.0.0.1:8443', '[::1]:8443', ''])
    assert.equal((await raw(server, `GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status, 200);
  assert.equal((await raw(server, 'GET /health HTTP/1.0\r\n\r\n')).status, 200);
  for (const [target, expected] of [
    ['GET https://x/health', 200],
    ['GET HTTPS://x/health?a', 200],
    ['OPTIONS *', 405],
  ] as const)
    assert.equal((await raw(server, `${target} HTTP/1.1\r\nHost: x\r\n\r\n`)).status, expected, target);
});

test('plain HTTP is told to use https', async () => {
  const { hostname, port } = new URL(server.address);
  const plain = await new Promise<string>((resolve) => {
    const socket = connectTcp(Number(port), hostname, () => socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n'));
    let text = '';
    socket.on('data', (data) => (text += data.toString('latin1')));
    socket.on('error', () => resolve(text));
    socket.on('close', () => resolve(text));
  });
  assert.match(plain, /^HTTP\/1\.1 400 [\s\S]*\r\nConnection: close\r\n\r\n\{"code":"BAD_REQUEST","message":"this port accepts TLS only; use https:/);
  assert.match(plain, /^x-request-id: /im);
  assert.doesNotMatch(plain, /strict-transport-security/i, 'RFC 6797 section 7.2');
});

test('the self-signed certificate names this machine, is kept, and its key is private', () => {
  const folder = join(server.dataDir, 'tls');
  const certificate = new X509Certificate(readFileSync(join(folder, 'cert.pem')));
  assert.match(String(certificate.subjectAltName), /DNS:localhost, IP Address:127\.0\.0\.1/);
  assert.equal(statSync(join(folder, 'key.pem')).mode & 0o777, 0o600);
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  assert.equal(to - from, 366 * DAY_MS, 'a year, and a day before');
  assert.ok(Math.abs(from + DAY_MS - server.clock.now()) < 600_000);
});

test('metrics that are totals are counters, and no others', async () => {
  const kinds = [...(await server.ask('GET', '/metrics')).text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  const wrong = kinds.filter(([, name, kind]) => name?.endsWith('_total') !== (kind === 'counter'));
  assert.deepEqual([kinds.length > 20, wrong.map(([line]) => line)], [true, []]);
});

test('loopback and signed-in callers see what is not ready; only loopback reads /metrics', async () => {
  assert.equal((await server.ask('GET', '/ready')).status, 200);
  assert.match((await server.ask('GET', '/metrics')).text, /gatehouse_http_request_duration_seconds_count\{method="GET",route="\/health",status="200"\}/);
  const proxied = await startServer({
    config: '[http]\ntrusted_proxies = ["127.0.0.1"]\n[[hsm_instances]]\nhsm_model = "other"\nlibrary = "/nonexistent"\nhsm_slot = [0]\nhsm_password = ["x"]\n',
  });
  const far = { 'x-forwarded-for': '203.0.113.9' };
  await until(async () => (await proxied.ask('GET', '/ready')).status === 503, 'the HSM was probed');
  const stranger = await proxied.ask('GET', '/ready', { headers: far });
  assert.deepEqual([stranger.status, stranger.body], [503, { status: 'NOT_READY' }]);
  const own = await proxied.ask('GET', '/ready', { headers: far, cookie: await signInAdmin(proxied) });
  assert.match(own.body.not_ready[0], /^hsm\/hsm::other: /);
  isProblem(await proxied.ask('GET', '/metrics', { headers: far }), 403, 'FORBIDDEN');
  await proxied.end();
});

test('/ready says what it has to say to callers whose credential cannot be checked, too', async () => {
  const broken = definePlugin({
    name: 'broken',
    config: Type.Object({}, { default: {} }),
    authenticators: () => ({ 'app-token': () => Promise.reject(new Fault('DEADLINE')) }),
    status: async () => ({ ready: false, note: 'its database is away' }),
  });
  const proxied = await startServer({ plugins: [...BUILT_IN, broken] as never, config: '[http]\ntrusted_proxies = ["127.0.0.1"]\n' });
  const asked = await proxied.ask('GET', '/ready', { headers: { 'x-forwarded-for': '203.0.113.9', 'x-app-token': 'any' } });
  assert.deepEqual([asked.status, asked.body], [503, { status: 'NOT_READY' }]);
  await proxied.end();
});

test('a graceful stop serves what came before it, and closes idle connections', async () => {
  const stopping = await startServer({ plugins: [...BUILT_IN, extra] as never });
  const idle = await open(stopping);
  const taken = await open(stopping);
  const slow = stopping.ask('GET', '/extra/slow');
  await until(() => held.release !== undefined, 'the request is under way');
  const stopped = stopping.stop();
  await until(() => idle.destroyed || idle.readyState === 'open', 'the idle connection is looked at');
  let answer = '';
  taken.on('data', (data) => (answer += data)).write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => answer.includes('UP'), 'a connection that was taken before the stop is served');
  assert.match(answer, /^HTTP\/1.1 200 .*connection: close\r\n/is);
  held.release?.();
  assert.deepEqual((await slow).body, { done: true });
  await stopped;
  await until(() => idle.destroyed, 'the idle connection is closed');
  await stopping.end();
});

async function open({ address }: TestServer): Promise<TLSSocket> {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  return socket;
}

/** Sends bytes as they are and reads until the answer is whole or the server closes. */
async function raw(target: TestServer, head: string, body?: Buffer, ms = 5_000): Promise<{ status: number; head: string; body: string }> {
  const socket = await open(target);
  let text = '';
  const done = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer in ${ms} ms`)), ms);
    socket.on('data', (data) => {
      text += data.toString('utf8');
      const [headers, rest] = text.split('\r\n\r\n', 2);
      const length = /content-length: (\d+)/i.exec(headers ?? '')?.[1];
      if (length !== undefined && Buffer.byteLength(rest ?? '') >= Number(length)) socket.destroy();
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  socket.write(head);
  if (body) socket.write(body);
  await done;
  const end = text.indexOf('\r\n\r\n');
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), head: text.slice(0, end), body: text.slice(end + 4) };
}

test.run();
