// The client of the API against a server: its types are current, its calls and lists work, its errors say what was wrong.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { test } from 'uvu';
import { Client, type Fetch, GatehouseError, text } from '../../client/index.ts';
import { signInAdmin, startServer, type TestServer } from '../server.ts';
import { FILE, written } from './description.ts';

let server: TestServer;
let client: Client;
test.before(async () => {
  server = await startServer();
  const agent = new Agent({ connect: { ca: readFileSync(join(server.dataDir, 'tls', 'cert.pem'), 'utf8') } });
  const trusting: Fetch = (address, init) => fetch(address, { ...init, dispatcher: agent } as never) as unknown as Promise<Response>;
  client = new Client({ address: server.address, fetch: trusting });
});
test.after(() => server?.end());

const refusal = async (work: Promise<unknown>): Promise<GatehouseError> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof GatehouseError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

test('client/calls.ts is what the description of the server says: npm run client writes it again', async () => {
  assert.equal(readFileSync(FILE, 'utf8'), await written());
});

test('a sign-in gives a session; its calls are typed; a list comes page by page', async () => {
  const user = { user: 'admin', password: server.initialPassword };
  assert.equal((await client.as(user).signIn({ query: { realm: '_' } })).next_step, 'ChangePassword');
  const { cookie } = await client.as(user).signIn({ query: { realm: '_' }, body: { new_password: 'pässword of the client' } });
  const admin = client.as({ cookie: cookie as string });
  assert.deepEqual(await admin.call('GET /me'), { user: '_/admin', realm: '_', scheme: 'up' });
  for (const id of ['one', 'two', 'three', 'four', 'five']) await admin.call('POST /admins/realms', { body: { id } });
  const pages: number[] = [];
  const found: string[] = [];
  for await (const { id } of admin.list('GET /admins/realms', { query: { limit: 2 } })) {
    found.push(id);
    pages.push(found.length);
  }
  assert.deepEqual(found.sort(), ['_', 'five', 'four', 'one', 'three', 'two']);
  assert.equal(await admin.call('DELETE /admins/realms/{realm_id}', { params: { realm_id: 'one' } }), undefined);
  const again = await client.as({ user: 'admin', password: 'pässword of the client' }).signIn({ query: { realm: '_' } });
  assert.equal(again.next_step, 'Authenticated');
});

test('an error has the status, the code, the words and the request id of the answer', async () => {
  const none = await refusal(client.call('GET /me'));
  assert.equal(`${none.status} ${none.code}`, '401 UNAUTHENTICATED');
  assert.match(none.requestId ?? '', /^[0-9a-f-]{36}$/);
  const cookie = (await server.ask('POST', '/login?realm=_', { user: 'admin:pässword of the client' })).cookie ?? (await signInAdmin(server));
  const admin = client.as({ cookie });
  const noKey = await refusal(admin.call('POST /v1/crypto/encrypt', { body: { kid: 'none', alg: 'dir', enc: 'A256GCM', data: 'aGVsbG8' } }));
  assert.equal(`${noKey.status} ${noKey.code}: ${noKey.message}`, '404 not_found: Key not found');
  const kmip = await refusal(admin.kmip('Get', [text('UniqueIdentifier', 'none')]));
  assert.match(`${kmip.status} ${kmip.code}: ${kmip.message}`, /^422 KEYS_REFUSED: Object_Not_Found: /);
  const strange = await refusal(admin.call('GET /admins/realms/{realm_id}', { params: { realm_id: '../admins' } }));
  assert.equal(strange.status, 404, 'a parameter stays one segment of the path');
  for (const step of ['.', '..', '']) {
    const stepping = await refusal(admin.call('DELETE /admins/{admin_id}/realms/{realm_id}', { params: { admin_id: step, realm_id: 'five' } }));
    assert.equal(`${stepping.status} ${stepping.message}`, `404 admin_id cannot be ${step || 'empty'} in a path`);
  }
  assert.equal((await admin.call('GET /admins/realms/{realm_id}', { params: { realm_id: 'five' } })).id, 'five', 'the path did not become that of the realm');
  const gone = await refusal(new Client({ address: 'https://127.0.0.1:1' }).call('GET /health'));
  assert.equal(`${gone.status} ${gone.code}`, '0 UNREACHABLE');
});

test('a credential that no header can carry is refused without a request and without being told', async () => {
  for (const [credential, what] of [
    [{ token: 'hvs.secret\nsecret' }, 'app token'],
    [{ bearer: 'secret\u2192.b.c' }, 'bearer token'],
    [{ bearer: 'secret .b.c' }, 'bearer token'],
    [{ cookie: 'secret; other=1' }, 'cookie'],
  ] as const) {
    const refused = await refusal(client.as(credential).call('GET /me'));
    assert.equal(
      `${refused.status} ${refused.code}: ${refused.message}`,
      `401 AUTH_DENIED: the ${what} has a character that none can have, such as a line break`,
    );
  }
  const colon = await refusal(client.as({ user: 'admin:x', password: 'secret' }).signIn({ query: { realm: '_' } }));
  assert.equal(`${colon.status} ${colon.message}`, '401 a user name has no colon');
  assert.equal((await refusal(client.as({ token: ' none\r\n' }).call('GET /me'))).code, 'UNAUTHENTICATED', 'the end of a line is no part of it');
  const long = await refusal(client.as({ user: 'admin', password: 'x'.repeat(500_000) }).signIn({ query: { realm: '_' } }));
  assert.equal(long.status, 431);
});

test.run();
