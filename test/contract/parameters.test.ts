// A parameter of a path that breaks its rule leads nowhere: 404 on every method of every route, and 401 for who is nobody.
import assert from 'node:assert/strict';
import { request } from 'node:https';
import { test } from 'uvu';
import { signInAdmin } from '../server.ts';
import { filled, nameOf, type RoutedServer, startRoutedServer } from './route-table.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH'] as const;

/** What no user can be called; the last three are as long as they may be sent, and too long composed. */
const NO_NAME = [
  'a:b',
  'a/b',
  '.',
  '..',
  '*',
  'a\u0000b',
  'a\u001fb',
  'a\u0085b',
  'a'.repeat(1_025),
  'a'.repeat(256),
  'e\u0301'.repeat(256),
  `a${'\u0316'.repeat(31)}`,
];
const BAD: Readonly<Record<string, readonly string[]>> = {
  realm_id: ['a b', 'r:1', 'é', 'a'.repeat(65), 'a'.repeat(2_000), '..'],
  username: NO_NAME,
  admin_id: NO_NAME,
  name: ['a b', 'a/b', 'é', 'a'.repeat(129), '\u0000'],
  session_id: ['a'.repeat(65)],
  kid: ['k'.repeat(1_025), 'k'.repeat(5_000)],
  object_id: ['k'.repeat(1_025)],
};
const GOOD: Readonly<Record<string, string>> = {
  realm_id: 'r1',
  username: 'ann',
  admin_id: 'admin',
  name: 'role',
  session_id: 'none',
  kid: 'none',
  object_id: 'none',
};

let server: RoutedServer;
let cookie: string;
test.before(async () => {
  server = await startRoutedServer();
  cookie = await signInAdmin(server);
  assert.equal((await server.ask('POST', '/admins/realms', { cookie, body: { id: 'r1', auth_params: {} } })).status, 201);
});
test.after(() => server?.end());

/** Sent as it is: other clients tidy paths up. */
function statusOf(method: string, path: string, headers: Record<string, string> = { cookie: `_ea_=${cookie}` }): Promise<number> {
  const { hostname, port } = new URL(server.address);
  return new Promise((resolve, reject) => {
    const body = method === 'GET' || method === 'HEAD' ? '' : '{}';
    const all = { ...headers, ...(body === '' ? {} : { 'content-type': 'application/json', 'content-length': '2' }) };
    const asked = request({ hostname, port, method, path, headers: all, rejectUnauthorized: false }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

test('each is 404 on every method, for who may do everything', async () => {
  const wrong: string[] = [];
  const paths = [...new Set(server.routes.map(({ path }) => path))].filter((path) => path.includes('{'));
  assert.ok(paths.length >= 20);
  for (const path of paths) {
    for (const [, broken] of path.matchAll(/\{([^}]+)\}/g)) {
      const values = BAD[broken as string];
      assert.ok(values, `${broken} has no rule here`);
      for (const value of values) {
        const address = filled(path, (name) => (name === broken ? value : (GOOD[name] as string)));
        for (const method of METHODS) {
          const status = await statusOf(method, address);
          if (status !== 404) wrong.push(`${method} ${path} ${JSON.stringify(value.slice(0, 12))} (${value.length}): ${status}`);
        }
      }
    }
  }
  assert.deepEqual(wrong, []);
});

test('who is nobody learns of no rule: 401, or what clients of Vault have for it', async () => {
  for (const route of server.routes.filter(({ path, auth }) => path.includes('{') && auth !== 'none')) {
    const address = filled(route.path, (name) => (BAD[name] as readonly string[])[0] as string);
    assert.equal(await statusOf(route.method, address, {}), route.form?.status(401) ?? 401, nameOf(route));
  }
});

test('names as long as they may be are names, composed or not', async () => {
  const found = async (name: string) => (await server.ask('GET', `/realms/r1/userpass/${encodeURIComponent(name)}`, { cookie })).status;
  for (const name of ['a'.repeat(255), 'é'.repeat(255), '\u03b1\u0313\u0300\u0345'.repeat(255)]) {
    const made = await server.ask('POST', '/realms/r1/userpass', { cookie, body: { username: name, password_input: { plaintext: 'a password' } } });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual([await found(name), await found(name.normalize('NFC'))], [200, 200]);
  }
});

test.run();
