// The interactive page and the downloads as a client sees them: who may have them, under which policy, and what they hold.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { test } from 'uvu';
import { makeCertificate, SERVER_AUTH } from '../../certificates.ts';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer, type TestServer, temporaryFolder } from '../../server.ts';

// covers: GET /, GET /interactive-docs, GET /download/openapi.yaml, GET /download/ca.crt

const FOLDER = new URL('../../../plugins/docs/page/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = { html: 'text/html; charset=utf-8', css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' };
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types lit-html";

const pathOf = (file: string) => (file.endsWith('.html') ? '/interactive-docs' : `/interactive-docs/${file}`);
const files = readdirSync(FOLDER);
let server: TestServer;
let cookie: string;
test.before(async () => {
  server = await startServer();
  cookie = await signInAdmin(server);
});
test.after(() => server?.end());

for (const file of files) {
  test(`GET ${pathOf(file)} is for the authenticated, typed and confined, and 304 where it is known`, async () => {
    const { status, headers, text } = await server.ask('GET', pathOf(file), { cookie });
    assert.deepEqual([status, headers['content-type'], headers['content-security-policy']], [200, TYPES[file.split('.').at(-1) as string], POLICY]);
    assert.deepEqual([headers['x-frame-options'], headers['x-content-type-options'], headers['referrer-policy']], ['DENY', 'nosniff', 'same-origin']);
    const own = readFileSync(new URL(file, FOLDER), 'utf8');
    // In front of it stands what all pages have in common.
    assert.ok(file.endsWith('.css') ? text.endsWith(own) : text === own, file);
    for (const known of [String(headers['etag']), '*'])
      assert.equal((await server.ask('GET', pathOf(file), { cookie, headers: { 'if-none-match': known } })).status, 304);
    for (const credential of [undefined, 'nonsense']) assert.equal((await server.ask('GET', pathOf(file), { cookie: credential })).status, 401);
    assert.equal((await server.ask('POST', pathOf(file), { cookie, body: {} })).status, 405);
  });
}

test('the address of the server alone leads programs to the page, and browsers to the console', async () => {
  const { status, headers } = await server.ask('GET', '/');
  assert.deepEqual([status, headers['location'], headers['vary']], [303, '/interactive-docs', 'accept']);
  const browser = await server.ask('GET', '/', { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
  assert.deepEqual([browser.status, browser.headers['location']], [303, '/console']);
  assert.equal((await server.ask('GET', '/nothing')).status, 404);
});

test('a browser without a session is sent to sign in by the page, and by nothing else', async () => {
  const accept = { accept: 'text/html,application/xhtml+xml' };
  const page = await server.ask('GET', '/interactive-docs', { headers: accept });
  assert.deepEqual([page.status, page.headers['location']], [303, '/sign-in?next=%2Finteractive-docs']);
  for (const path of ['/interactive-docs/interactive-docs.js', '/interactive-docs/openapi.json', '/interactive-docs/session', '/download/openapi.yaml'])
    assert.equal((await server.ask('GET', path, { headers: accept })).status, 401, path);
});

test('a page of another site gets nothing with the session', async () => {
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }] as Record<string, string>[])
    for (const path of ['/interactive-docs', '/interactive-docs/openapi.json', '/interactive-docs/session', '/download/openapi.yaml'])
      assert.equal((await server.ask('GET', path, { cookie, headers })).status, 403, path);
});

test('no file loads anything from elsewhere, or makes markup, style or code of text', () => {
  for (const file of files) {
    const text = readFileSync(new URL(file, FOLDER), 'utf8');
    assert.doesNotMatch(text, /(?:src|href|from|import\(|url\()\s*=?\s*["']?(?:https?:)?\/\//, file);
    assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|DOMParser|setAttribute\('style/, file);
    if (file.endsWith('.html')) assert.doesNotMatch(text, /<style|style=|<script(?![^>]* src=)|\son[a-z]+=/i);
  }
});

test('the document that the page reads is the one of /openapi.yaml, and asked for anew', async () => {
  const { status, headers, body } = await server.ask('GET', '/interactive-docs/openapi.json', { cookie });
  assert.deepEqual([status, headers['content-type'], headers['cache-control']], [200, 'application/json; charset=utf-8', 'no-cache']);
  const { text } = await server.ask('GET', '/openapi.yaml');
  for (const path of Object.keys(body.paths)) assert.ok(text.includes(`\n  ${path}:\n`), path);
  assert.equal((await server.ask('GET', '/interactive-docs/openapi.json', { cookie, headers: { 'if-none-match': String(headers['etag']) } })).status, 304);
});

test('every example of a body that the document gives to the anonymization is served', async () => {
  const { body: document } = await server.ask('GET', '/interactive-docs/openapi.json', { cookie });
  const bodies = Object.keys(document.paths)
    .filter((path) => path.startsWith('/tokenize/'))
    .flatMap((path) => Object.values(document.paths[path].post.requestBody.content['application/json'].examples).map((each) => ({ path, each })));
  assert.ok(bodies.length >= 10);
  for (const { path, each } of bodies) {
    const { status, text } = await server.ask('POST', path, { cookie, body: (each as { value: unknown }).value });
    assert.equal(status, 200, `${path}: ${text}`);
  }
});

test('the page is told who uses it and which session that is', async () => {
  const { body } = await server.ask('GET', '/interactive-docs/session', { cookie });
  assert.deepEqual([body.realm, body.username], ['_', 'admin']);
  assert.equal((await server.ask('GET', `/sessions/${body.session_id}`, { cookie })).body.session_id, body.session_id);
});

test('GET /download/openapi.yaml is the document as a file, for the authenticated', async () => {
  const { status, headers, text } = await server.ask('GET', '/download/openapi.yaml', { cookie });
  assert.deepEqual([status, headers['content-type'], headers['content-disposition']], [200, 'application/yaml', 'attachment; filename="openapi.yaml"']);
  assert.equal(text, (await server.ask('GET', '/openapi.yaml')).text);
  assert.equal((await server.ask('GET', '/download/openapi.yaml')).status, 401);
});

test('GET /download/ca.crt is open, and is the certificate that a server made for itself', async () => {
  const { status, headers, text } = await server.ask('GET', '/download/ca.crt', { cookie: 'nonsense' });
  assert.deepEqual([status, headers['content-type'], headers['content-disposition']], [200, 'application/x-pem-file', 'attachment; filename="ca.crt"']);
  assert.equal(new X509Certificate(text).fingerprint256, new X509Certificate(readFileSync(join(server.dataDir, 'tls', 'cert.pem'))).fingerprint256);
  const agent = new Agent({ connect: { ca: text } });
  assert.equal((await request(`${server.address}/health`, { dispatcher: agent })).statusCode, 200);
  await agent.close();
});

test('GET /download/ca.crt is the last certificate of the chain, never a key; 404 if no authority', async () => {
  const folder = temporaryFolder();
  const ca = await makeCertificate('CN=ca');
  const own = await makeCertificate('CN=server', { issuer: ca, usage: SERVER_AUTH, names: ['127.0.0.1'] });
  const file = join(folder, 'server.pem');
  // One file with everything: the key must not be part of what is given away, nor the label that OpenSSL alone takes.
  const write = (...parts: readonly string[]) => writeFileSync(file, parts.map((part) => `${part.trim()}\n`).join(''));
  write(own.cert, ca.cert.replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE'), own.key);
  const dataDir = join(folder, 'data');
  await (await startServer({ dataDir })).end();
  const operated = await startServer({ dataDir, config: `[http.tls]\ncert = "${file}"\nkey = "${file}"\n` });
  const agent = new Agent({ connect: { ca: ca.cert } });
  const download = async () => {
    // A connection of its own each time: those that are idle are closed when the files change.
    const { statusCode, body } = await request(`${operated.address}/download/ca.crt`, { dispatcher: agent, reset: true });
    return { status: statusCode, text: await body.text() };
  };
  assert.deepEqual(await download(), { status: 200, text: `${ca.cert.trim()}\n` });
  write(own.cert, own.key);
  await until(async () => (await download()).status === 404, 'the file without the authority is in service', 15_000);
  assert.match(JSON.parse((await download()).text).message, /ask the operator/);
  await agent.close();
  await operated.end();
  rmSync(folder, { recursive: true, force: true });
});

test.run();
