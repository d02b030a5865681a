// Who gets to the key server and as whom, over HTTP: sessions, certificates, app tokens, JWTs of its providers, and which routes each opens.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { DAY_MS } from '../../certificates.ts';
import { type IdentityProvider, startIdentityProvider } from '../../identity-provider.ts';
import { type People, people } from '../../people.ts';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import { signInAdmin } from '../../server.ts';
import { ECHOING } from './setup.ts';

let server: SecureServer;
let idp: IdentityProvider;
let all: People;
let admin: string;
test.before(async () => {
  idp = await startIdentityProvider(() => Date.now());
  const provider = `[[keys.identity_providers]]\nname = "corp"\nissuer = "${idp.issuer}"\njwks_uri = "${idp.jwksUri}"\naudience = "gatehouse"\n`;
  const hsm = '[[hsm_instances]]\nhsm_model = "soft_hsm"\nhsm_slot = [3]\nhsm_password = ["1234"]\nlibrary = "/nowhere.so"\n';
  server = await startSecureServer({
    plugins: ECHOING,
    config: `${hsm}${hsm}[keys]\nrealm = "main"\nrealms = ["main", "other"]\nprivileged_users = ["ada"]\n${provider}`,
  });
  admin = await signInAdmin(server);
  all = people(server, admin);
  for (const realm of ['main', 'other', 'closed']) {
    await all.realm(realm);
    await all.user(realm, 'ada', 'a password');
  }
});
test.after(() => Promise.all([server?.end(), idp?.end()]).then(() => {}));

const me = async (options: Parameters<SecureServer['ask']>[2], ask = server.ask) => {
  const { status, body } = await ask('GET', '/me', options);
  return status === 200 ? body : status;
};
const bearer = async (claims?: Record<string, unknown>, header?: Record<string, unknown>) => ({
  headers: { authorization: `Bearer ${await idp.token(claims, header)}` },
});

test('GET /me: a session of the bare realm, of another, and of one that may not use the key server', async () => {
  assert.deepEqual(await me({ cookie: await all.session('main', 'ada', 'a password') }), { user: 'ada', realm: 'main', scheme: 'up' });
  assert.deepEqual(await me({ cookie: await all.session('other', 'ada', 'a password') }), { user: 'other/ada', realm: 'other', scheme: 'up' });
  assert.equal(await me({ cookie: await all.session('closed', 'ada', 'a password') }), 403);
  assert.equal(await me({ cookie: admin }), 403);
  assert.equal(await me({}), 401);
});

test('the value of the session cookie is a bearer token for the key server, but opens no page', async () => {
  const login = await server.ask('POST', '/login?realm=main', { user: 'ada:a password' });
  const cookie = String(login.cookie);
  const authorization = (value: string) => ({ headers: { authorization: value } });
  assert.deepEqual(await me(authorization(`Bearer ${cookie}`)), { user: 'ada', realm: 'main', scheme: 'up' });
  for (const value of [`Bearer ${cookie.slice(1)}`, `Bearer ${cookie}=`, `Bearer ${'A'.repeat(43)}`, `Basic ${cookie}`, cookie])
    assert.equal(await me(authorization(value)), 401, value);
  assert.equal((await server.ask('GET', '/whoami', authorization(`Bearer ${cookie}`))).status, 401);
  assert.equal((await server.ask('DELETE', '/sessions', { cookie, body: { session_ids: [login.body.session_id] } })).status, 204);
  assert.equal(await me(authorization(`Bearer ${cookie}`)), 401);
});

test('a client certificate is its common name, and gives no session where one is needed', async () => {
  const ask = server.as(await server.client('owner@acme.com'));
  assert.deepEqual(await me({}, ask), { user: 'owner@acme.com', scheme: 'cc' });
  for (const path of ['/server-info', '/access/owned', '/hsm/status']) assert.equal((await ask('GET', path)).status, 200, path);
  assert.equal((await ask('POST', '/kmip/2_1', { body: {} })).status, 200);
  assert.equal((await ask('POST', '/tokenize/hash', { body: { data: 'a', method: 'SHA2' } })).status, 200);
  const sessions = ['/whoami', '/admins', '/admins/realms', '/sessions/x', '/realms/main/userpass', '/audit', '/auth/approle/role?list=true'];
  for (const path of sessions) assert.equal((await ask('GET', path)).status, 401, path);
  assert.equal((await ask('POST', '/certify', { body: {} })).status, 401);
  assert.equal((await ask('POST', '/sessions/introspect', { body: { cookie: 'x' } })).status, 401);
  assert.equal((await ask('GET', '/auth/token/lookup-self')).status, 403);
});

test('a certificate that is not valid is a refusal, and so is any credential before it', async () => {
  assert.equal(await me({}, server.as(await server.client('late', { days: -1 }))), 401);
  const valid = server.as(await server.client('ann'));
  assert.equal(await me({ cookie: 'nonsense' }, valid), 401);
  assert.equal(await me({ headers: { authorization: 'Bearer nonsense' } }, valid), 401);
  assert.equal(await me({ headers: { 'x-app-token': 'nonsense' } }, valid), 401);
});

test('app tokens: a role of machines', async () => {
  const root = (path: string, body: unknown) => server.ask('POST', path, { cookie: admin, body });
  assert.equal((await root('/auth/approle/role/backup', { bind_secret_id: false })).status, 204);
  const { body } = await server.ask('GET', '/auth/approle/role/backup/role-id', { cookie: admin });
  const login = await server.ask('POST', '/auth/approle/login', { body: { role_id: body.data.role_id } });
  const headers = { 'x-app-token': login.body.auth.client_token as string };
  assert.deepEqual(await me({ headers }), { user: 'approle:backup', scheme: 'token' });
});

test('a JWT of a provider: its verified address, else its subject', async () => {
  assert.deepEqual(await me(await bearer()), { user: 'jwt:corp/sub:user-1', scheme: 'jwt' });
  assert.deepEqual(await me(await bearer({ email: 'ada@acme.com', email_verified: true })), { user: 'jwt:corp/ada@acme.com', scheme: 'jwt' });
  for (const email_verified of [undefined, false, 'true', 1])
    assert.deepEqual(await me(await bearer({ email: 'ada@acme.com', email_verified })), { user: 'jwt:corp/sub:user-1', scheme: 'jwt' });
  // A subject like an address, and an address like a subject, are no way to the other.
  assert.deepEqual(await me(await bearer({ sub: 'ada@acme.com' })), { user: 'jwt:corp/sub:ada@acme.com', scheme: 'jwt' });
  for (const email of ['sub:user-2', 'sub:a@acme.com', 'not an address'])
    assert.deepEqual(await me(await bearer({ email, email_verified: true })), { user: 'jwt:corp/sub:user-1', scheme: 'jwt' });
});

test('a JWT that is not valid: 401, whatever is wrong with it', async () => {
  const refused: [Record<string, unknown>, Record<string, unknown>?][] = [
    [{ iss: 'https://other.example' }],
    [{ aud: 'another' }],
    [{ aud: undefined }],
    [{ exp: 1 }],
    [{ exp: undefined }],
    [{ sub: undefined }],
    [{ sub: '' }],
    [{ sub: 'line\nbreak' }],
    [{ sub: 'x'.repeat(256) }],
    [{ sub: undefined, email: 'ada@acme.com', email_verified: true }],
    [{}, { kid: 'unknown' }],
    [{}, { kid: undefined }],
  ];
  for (const [claims, header] of refused) assert.equal(await me(await bearer(claims, header)), 401, JSON.stringify([claims, header]));
  for (const authorization of ['Bearer', 'Bearer ', 'Bearer a.b.c', 'Basic YTpi', `Token ${await idp.token()}`])
    assert.equal(await me({ headers: { authorization } }), 401, authorization);
  assert.ok(server.lines.some(({ msg, plugin, reason }) => msg === 'JWT refused' && plugin === 'keys' && reason === 'no key id'));
});

test('a JWT opens what every credential opens, and no session routes; a sign-in with it is as before', async () => {
  const options = await bearer();
  assert.equal((await server.ask('GET', '/hsm/status', options)).status, 200);
  for (const path of ['/whoami', '/admins', '/audit']) assert.equal((await server.ask('GET', path, options)).status, 401, path);
  assert.equal((await server.ask('POST', '/login?realm=main', options)).status, 401);
});

test('GET /server-info: the versions, and the HSM instances as they were last seen', async () => {
  const { body } = await server.as(await server.client('ann'))('GET', '/server-info');
  const { hsm_instances: instances, ...rest } = body;
  assert.deepEqual(rest, {
    version: '0.0.0-test',
    kmip_versions: ['3.0', '2.1', '2.0', '1.4', '1.3', '1.2', '1.1', '1.0'],
    vendor_identification: 'gatehouse',
  });
  assert.deepEqual(
    instances.map(({ prefix, model }: Record<string, string>) => [prefix, model]),
    [
      ['hsm::soft_hsm', 'soft_hsm'],
      ['hsm::soft_hsm_1', 'soft_hsm'],
    ],
  );
  // There is no such library: nothing is known of the slots, or that they are out of reach.
  for (const { slots } of instances) for (const slot of slots) assert.deepEqual(slot, { slot_id: 3, accessible: false });
});

test('a certificate that expires under way is refused with the next request', async () => {
  const ask = server.as(await server.client('soon', { days: 1 }));
  assert.deepEqual(await me({}, ask), { user: 'soon', scheme: 'cc' });
  await server.runtime.advance(2 * DAY_MS);
  assert.equal(await me({}, ask), 401);
});

test.run();
