// What pages of other origins can do in the browser of somebody with a client certificate, which browsers show to all of them, or on an open route: nothing.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { filled, nameOf, routedPlugins } from '../contract/route-table.ts';
import { type SecureServer, startSecureServer } from '../secure-server.ts';
import { type Ask, startServer } from '../server.ts';

const { plugins, routes } = routedPlugins();
let server: SecureServer;
/** Who holds a certificate. */
let ann: Ask;

test.before(async () => {
  server = await startSecureServer({ plugins, config: '[auth]\ncertificate_realms = ["*", "_"]\n' });
  ann = server.as(await server.client('ann'));
});
test.after(() => server?.end());

/** As browsers mark what a page of another server sends without asking first (Fetch section 2.2.1), with scripts or by a form. */
const FOREIGN: readonly Record<string, string>[] = [
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
  { origin: 'null', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
  { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
  { origin: 'https://evil.example' },
];

test('a page of another origin uses no certificate, on any route that takes one', async () => {
  const open = routes.filter(({ auth }) => auth !== 'none' && auth.includes('certificate'));
  assert.ok(open.length >= 40, String(open.length));
  for (const route of open) {
    const path = filled(route.path, () => 'none');
    for (const headers of FOREIGN) {
      const { status, body } = await ann(route.method, path, { headers });
      assert.deepEqual([status, body?.code], [403, 'FORBIDDEN'], `${nameOf(route)} ${JSON.stringify(headers)}`);
    }
    assert.notEqual((await ann(route.method, path)).body?.code, 'FORBIDDEN', nameOf(route));
  }
});

test('POST /login neither: such a page signs nobody in by a certificate', async () => {
  await ann('POST', '/login?realm=_');
  for (const headers of [...FOREIGN, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }] as typeof FOREIGN) {
    const { status, body, cookie } = await ann('POST', '/login?realm=_', { headers });
    assert.deepEqual([status, body.code, cookie], [403, 'FORBIDDEN', undefined], JSON.stringify(headers));
  }
  // No browser sends this header for a page that was not allowed to.
  const { status } = await ann('POST', '/login?realm=_', { headers: FOREIGN[0] as Record<string, string>, user: 'admin:guess' });
  assert.equal(status, 401);
});

test('a form of another page puts no document into a base of the holder', async () => {
  const parts = { db: 'documents', reference: 'planted' };
  const fields = Object.entries(parts).map(([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  const body = `${fields.join('')}--x\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.4\r\n--x--\r\n`;
  const type = { 'content-type': 'multipart/form-data; boundary=x' };
  assert.equal((await ann('POST', '/add_reference', { body, headers: { ...type, ...FOREIGN[0] } })).status, 403);
  // From a program it is looked at.
  assert.equal((await ann('POST', '/add_reference', { body, headers: type })).status, 400);
});

/** A request to these brings a password or a token with it, which a page of another site does not know. */
const BRINGS_A_SECRET = /^\w+ \/(login|auth|v1\/auth)\b/;

test('where no credential is needed such a page has nothing done either', async () => {
  const opened = routedPlugins();
  const inside = await startServer({ plugins: opened.plugins, config: '[ai]\nopen = true\n[tokenize]\nopen = true\n' });
  try {
    const free = opened.routes.filter((route) => route.auth === 'none' && route.method !== 'GET' && !BRINGS_A_SECRET.test(nameOf(route)));
    assert.ok(free.length >= 14, String(free.length));
    for (const route of free) {
      const path = filled(route.path, () => 'none');
      for (const headers of FOREIGN) {
        const { status, body } = await inside.ask(route.method, path, { headers });
        assert.deepEqual([status, body?.code], [403, 'FORBIDDEN'], `${nameOf(route)} ${JSON.stringify(headers)}`);
      }
      for (const headers of [{}, { origin: inside.address, 'sec-fetch-site': 'same-origin' }])
        assert.notEqual((await inside.ask(route.method, path, { headers: headers as never })).body?.code, 'FORBIDDEN', nameOf(route));
    }
    const link = { accept: 'text/html', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    assert.equal((await inside.ask('GET', '/ai', { headers: link })).status, 200);
  } finally {
    await inside.end();
  }
});

test('own pages use it, and a link on any page leads the holder here', async () => {
  for (const headers of [
    { origin: server.address, 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
  ])
    assert.equal((await ann('GET', '/me', { headers: headers as never })).status, 200, JSON.stringify(headers));
  const link = { accept: 'text/html', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
  assert.equal((await ann('GET', '/ai', { headers: link })).status, 200);
  assert.equal((await ann('POST', '/kmip/2_1', { headers: link, body: {} })).status, 403);
});

test.run();
