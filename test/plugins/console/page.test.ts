// The files of the console as a client sees them: who may have them, how small they are, and that its modules are those of its folder.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { Agent, request } from 'undici';
import { test } from 'uvu';
import { MODULES } from '../../../plugins/console/modules.ts';
import { people } from '../../people.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';

// covers: GET /console, GET /rights

const ROOT = new URL('../../../', import.meta.url);
let server: TestServer;
let cookie: string;
test.before(async () => {
  server = await startServer();
  cookie = await signInAdmin(server);
});
test.after(() => server?.end());

test('the list of modules is the folder', () => {
  const files = readdirSync(new URL('plugins/console/page/', ROOT)).filter((name) => name.endsWith('.js'));
  assert.deepEqual([...MODULES].sort(), files.sort());
});

test('the modules have the types that they say they have', () => {
  const tsc = fileURLToPath(new URL('node_modules/.bin/tsc', ROOT));
  const { status, stdout } = spawnSync(tsc, ['--noEmit', '-p', fileURLToPath(new URL('plugins/console/page', ROOT))], { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});

test('the page and its files are for whoever has a session, and confined', async () => {
  for (const path of ['/console', '/console/console.js', '/console/parts.css', '/console/lib/lit-html.js', '/console/lib/uplot.css']) {
    const { status, headers, text } = await server.ask('GET', path, { cookie });
    assert.equal(status, 200, path);
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; script-src 'self'; style-src 'self';.*frame-ancestors 'none'.*require-trusted-types-for 'script'/,
    );
    assert.deepEqual([headers['x-frame-options'], headers['x-content-type-options']], ['DENY', 'nosniff']);
    assert.ok(text.length > 0);
    assert.equal((await server.ask('GET', path)).status, 401, path);
    assert.equal((await server.ask('GET', path, { cookie, headers: { origin: 'https://evil.example' } })).status, 403, path);
  }
  const { status, headers } = await server.ask('GET', '/console', { headers: { accept: 'text/html' } });
  assert.deepEqual([status, headers['location']], [303, '/sign-in?next=%2Fconsole']);
});

test('only the first style sheet has what all pages have in common', async () => {
  const [first, second] = await Promise.all(['console', 'work'].map((name) => server.ask('GET', `/console/${name}.css`, { cookie })));
  assert.match(first?.text ?? '', /--ground: #eef1ee/);
  assert.doesNotMatch(second?.text ?? '', /--ground:/);
});

test('files are compressed for whoever understands it, and known again in either form', async () => {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const ask = (encoding: string, etag = '') =>
    request(`${server.address}/console/form.js`, { dispatcher, headers: { cookie: `_ea_=${cookie}`, 'accept-encoding': encoding, 'if-none-match': etag } });
  const small = await ask('gzip, deflate, br');
  const plain = await ask('gzip');
  assert.deepEqual([small.headers['content-encoding'], plain.headers['content-encoding']], ['br', undefined]);
  assert.deepEqual([small.headers['vary'], plain.headers['vary']], ['accept-encoding', 'accept-encoding']);
  const bytes = Buffer.from(await small.body.arrayBuffer());
  const whole = await plain.body.text();
  assert.ok(bytes.length < whole.length / 2);
  assert.equal(brotliDecompressSync(bytes).toString(), whole);
  const etag = String(small.headers['etag']);
  assert.notEqual(etag, plain.headers['etag']);
  for (const [encoding, status] of [
    ['br', 304],
    ['gzip', 200],
  ] as const) {
    const again = await ask(encoding, etag);
    await again.body.dump();
    assert.equal(again.statusCode, status, encoding);
  }
  await dispatcher.close();
});

test('everybody learns what they administer, and nobody without a session', async () => {
  const some = people(server, cookie);
  await some.realm('team');
  await some.user('team', 'ada', 'ada password');
  const ada = await some.session('team', 'ada', 'ada password');
  const lead = await some.realmAdmin('team', 'lead');
  const rightsOf = async (session: string) => (await server.ask('GET', '/rights', { cookie: session })).body;
  const { session_id: id, ...root } = await rightsOf(cookie);
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(root, { realm: '_', username: 'admin', auth_scheme: 'up', is_super_admin: true, realms: ['_'] });
  const { is_super_admin: isSuper, realms } = await rightsOf(lead);
  assert.deepEqual([isSuper, realms, (await rightsOf(ada)).realms], [false, ['team'], []]);
  assert.equal((await server.ask('GET', '/rights')).status, 401);
});

test.run();
