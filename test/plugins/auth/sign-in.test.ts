// The sign-in page as a client sees it: open, with a strict policy, cached but asked for anew, and nothing inline or from elsewhere.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';

const TYPES: Readonly<Record<string, string>> = {
  '/sign-in': 'text/html; charset=utf-8',
  '/sign-in/sign-in.css': 'text/css; charset=utf-8',
  '/sign-in/sign-in.js': 'text/javascript; charset=utf-8',
  '/sign-in/icon.svg': 'image/svg+xml',
};
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types lit-html";

let server: TestServer;
test.before(async () => {
  server = await startServer();
});
test.after(() => server?.end());

for (const [path, type] of Object.entries(TYPES)) {
  test(`GET ${path} is open, typed and confined, and 304 where it is known`, async () => {
    // Not even a credential that is not valid keeps anybody out.
    const { status, headers } = await server.ask('GET', path, { cookie: 'nonsense' });
    assert.deepEqual([status, headers['content-type'], headers['content-security-policy']], [200, type, POLICY]);
    assert.deepEqual([headers['cache-control'], headers['x-content-type-options'], headers['x-frame-options']], ['no-cache', 'nosniff', 'DENY']);
    const etag = String(headers['etag']);
    const known = await server.ask('GET', path, { headers: { 'if-none-match': `"other", ${etag}` } });
    assert.deepEqual([known.status, known.text, known.headers['etag']], [304, '', etag]);
    assert.equal((await server.ask('GET', path, { headers: { 'if-none-match': '"other"' } })).status, 200);
    assert.equal((await server.ask('POST', path, { body: {} })).status, 405);
  });
}

test('the holder of the cookie sees whose session it is; without a valid cookie the answer is null', async () => {
  const cookie = await signInAdmin(server);
  const { status, body, headers } = await server.ask('GET', '/sign-in/session', { cookie });
  assert.deepEqual([status, body.realm, body.username, headers['cache-control']], [200, '_', 'admin', 'no-store']);
  for (const other of [undefined, '', 'nonsense', 'A'.repeat(43)]) {
    const { status, text } = await server.ask('GET', '/sign-in/session', { cookie: other });
    assert.deepEqual([status, text], [200, 'null'], other);
  }
  assert.equal((await server.ask('DELETE', '/sessions', { cookie, body: { session_ids: [body.session_id] } })).status, 204);
  assert.equal((await server.ask('GET', '/sign-in/session', { cookie })).text, 'null');
});

test('the page loads its own files only, and holds no script and no style', async () => {
  const { text } = await server.ask('GET', '/sign-in');
  const loaded = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address as string);
  assert.deepEqual([...new Set(loaded)].sort(), Object.keys(TYPES).slice(1).sort());
  assert.ok(!/<style|style=|<script(?![^>]* src=)|\son[a-z]+=/i.test(text));
  assert.equal((await server.ask('GET', '/sign-in/nothing.js')).status, 404);
});

test.run();
