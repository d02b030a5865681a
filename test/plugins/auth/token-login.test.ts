// Sign-in with a JWT of a realm's identity providers, over real HTTPS and with real key servers.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SignJWT } from 'jose';
import { test } from 'uvu';
import { startIssuer } from '../../fakes/issuer.ts';
import { type IdentityProvider, startIdentityProvider } from '../../identity-provider.ts';
import { type People, people } from '../../people.ts';
import { until } from '../../runtime.ts';
import { type Answer, signInAdmin, startServer, type TestServer } from '../../server.ts';

let server: TestServer;
let they: People;
let idp: IdentityProvider;
let second: IdentityProvider;

const bearer = (realm: string, token: string): Promise<Answer> =>
  server.ask('POST', `/login?realm=${realm}`, { headers: { authorization: `Bearer ${token}` } });
const provider = ({ issuer, jwksUri }: IdentityProvider, audience: string | null = 'gatehouse') => ({
  jwt_issuer_uri: issuer,
  jwks_uri: jwksUri,
  jwt_audience: audience,
});

test.before(async () => {
  server = await startServer();
  they = people(server, await signInAdmin(server));
  idp = await startIdentityProvider(() => server.clock.now());
  second = await startIdentityProvider(() => server.clock.now(), 'https://second.example');
  await they.realm('one', { auth_params: { jwt_params: { idp_params: [provider(idp)] } } });
  await they.realm('two', { auth_params: { jwt_params: { idp_params: [provider(idp), provider(second)] } } });
});
test.after(async () => {
  await idp?.end();
  await second?.end();
  await server?.end();
});

test('a token of the provider signs in; the session has its subject and no roles', async () => {
  const { status, body, cookie } = await bearer('one', await idp.token());
  assert.deepEqual([status, body.next_step], [200, 'Authenticated']);
  const me = (await server.ask('GET', '/whoami', { cookie })).body;
  assert.deepEqual([me.sub, me.as_as, me.as_rid, me.roles], ['user-1', 'jwt', 'one', []]);
});

test('in a realm with several providers the name tells which one it was', async () => {
  for (const from of [idp, second]) {
    const { cookie } = await bearer('two', await from.token());
    assert.equal((await server.ask('GET', '/whoami', { cookie })).body.sub, `${from.issuer}#user-1`);
  }
});

test('a realm does not take providers whose users would have the same names', async () => {
  const made = async (id: string, ...issuers: string[]) => {
    const auth_params = { jwt_params: { idp_params: issuers.map((issuer) => ({ ...provider(idp), jwt_issuer_uri: issuer })) } };
    const { status, body } = await server.ask('POST', '/admins/realms', { cookie: they.root, body: { id, auth_params } });
    return [status, body.message?.replace(/^.*idp_params: /, '')];
  };
  const mixed = (issuer: string) => `the issuer ${issuer} begins like the user names of another provider, so that their users could not be told apart`;
  assert.deepEqual(await made('alike', 'https://a.example', 'https://a.example'), [400, 'two providers have the same issuer']);
  assert.deepEqual(await made('alike', 'https://a.example/\u00e9', 'https://a.example/e\u0301'), [400, 'two providers have the same issuer']);
  // The user b#x of the first issuer would have the name of the user x of the second.
  assert.deepEqual(await made('alike', 'https://a.example', 'https://a.example#b'), [400, mixed('https://a.example#b')]);
  assert.deepEqual(await made('alike', 'https://a.example/\u00e9#b', 'https://a.example/e\u0301'), [400, mixed('https://a.example/\u00e9#b')]);
  assert.deepEqual(await made('apart', 'https://a.example', 'https://a.example/b', 'https://b.example#a'), [201, undefined]);
});

test('a subject may have 255 characters, whatever their encoding', async () => {
  const sub = '\u{1f600}'.repeat(255);
  const { status, cookie } = await bearer('one', await idp.token({ sub }));
  assert.equal(status, 200);
  assert.equal((await server.ask('GET', '/whoami', { cookie })).body.sub, sub);
});

test('tokens that are not good enough: 401 in the same words', async () => {
  const seconds = Math.floor(server.clock.now() / 1000);
  const secret = new TextEncoder().encode(JSON.stringify(idp.publicJwk));
  const hs256 = await new SignJWT({ iss: idp.issuer, sub: 'user-1', aud: 'gatehouse', exp: seconds + 300 })
    .setProtectedHeader({ alg: 'HS256', kid: 'key-1' })
    .sign(secret);
  const none = `${Buffer.from(JSON.stringify({ alg: 'none', kid: 'key-1' })).toString('base64url')}.${Buffer.from(JSON.stringify({ iss: idp.issuer, sub: 'user-1', aud: 'gatehouse', exp: seconds + 300 })).toString('base64url')}.`;
  const foreign = await new SignJWT({ iss: idp.issuer, sub: 'user-1', aud: 'gatehouse', exp: seconds + 300 })
    .setProtectedHeader({ alg: 'ES256', kid: 'key-1' })
    .sign(second.privateKey);
  const tokens = [
    hs256,
    none,
    foreign,
    await idp.token({ exp: undefined }),
    await idp.token({ exp: seconds - 120 }),
    await idp.token({ nbf: seconds + 600 }),
    await idp.token({ sub: undefined }),
    await idp.token({ sub: '' }),
    await idp.token({ sub: 'user-1\ud800' }),
    await idp.token({ sub: 'x'.repeat(256) }),
    await idp.token({ iss: undefined }),
    await idp.token({ iss: second.issuer }),
    await idp.token({ aud: 'somebody else' }),
    await idp.token({}, { kid: undefined }),
    `${(await idp.token()).slice(0, -4)}AAAA`,
    'a.b.c',
  ];
  for (const token of tokens) {
    const { status, body, cookie } = await bearer('one', token);
    assert.deepEqual([status, body.code, body.message, cookie], [401, 'AUTH_DENIED', 'the credentials are not valid', undefined], token);
  }
  assert.equal((await bearer('_', await idp.token())).status, 401);
  assert.equal((await bearer('nowhere', await idp.token())).status, 401);
});

test('another spelling of a good token is no token', async () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const token = await idp.token();
  assert.equal((await bearer('one', token)).status, 200);
  // A signature of 64 bytes leaves four bits of its last character unused.
  for (const bit of [1, 2, 4, 8]) {
    const changed = `${token.slice(0, -1)}${alphabet[alphabet.indexOf(token.slice(-1)) ^ bit]}`;
    assert.ok(Buffer.from(changed, 'base64url').equals(Buffer.from(token, 'base64url')));
    assert.equal((await bearer('one', changed)).status, 401, changed.slice(-4));
  }
});

test('unknown key ids in a loop cause no flood of fetches; a rotated key is found, and the old one refused', async () => {
  await bearer('one', await idp.token());
  const before = idp.fetches;
  for (let tried = 0; tried < 30; tried++) assert.equal((await bearer('one', await idp.token({}, { kid: `made-up-${tried}` }))).status, 401);
  assert.ok(idp.fetches - before <= 1, `${idp.fetches - before} fetches`);
  const old = await idp.token({ exp: Math.floor(server.clock.now() / 1000) + 10_000 });
  await idp.rotate();
  await server.runtime.advance(61_000);
  assert.equal((await bearer('one', await idp.token())).status, 200);
  assert.equal((await bearer('one', old)).status, 401);
});

test('an edit of the realm takes effect for the very next request', async () => {
  const put = (idp_params: unknown[]) => server.ask('PUT', '/admins/realms/one', { cookie: they.root, body: { auth_params: { jwt_params: { idp_params } } } });
  const token = await idp.token();
  await put([provider(second)]);
  assert.equal((await bearer('one', token)).status, 401);
  await put([provider(idp, 'another audience')]);
  assert.equal((await bearer('one', token)).status, 401);
  await put([provider(idp)]);
  assert.equal((await bearer('one', token)).status, 200);
});

test('an edit of the realm while the key set of its provider is on the way counts, too', async () => {
  const slow = await startIssuer();
  await slow.addKey('key-1');
  let arrive = () => {};
  slow.misbehave = (request, response) => {
    arrive = () => void slow.serve(request, response);
  };
  const named = { jwt_issuer_uri: 'https://slow.example', jwks_uri: slow.uri };
  await they.realm('slow', { auth_params: { jwt_params: { idp_params: [named] } } });
  const token = await slow.sign('key-1', { iss: named.jwt_issuer_uri, sub: 'user-1' });
  const first = bearer('slow', token);
  await until(() => slow.fetches === 1, 'the key set was asked for');
  const put = (auth_params: object) => server.ask('PUT', '/admins/realms/slow', { cookie: they.root, body: { auth_params } });
  assert.equal((await put({})).status, 200);
  arrive();
  assert.equal((await first).status, 401);
  assert.equal((await put({ jwt_params: { idp_params: [named] } })).status, 200);
  assert.equal((await bearer('slow', token)).status, 200);
  await slow.close();
});

test('a subject that is named in an admin record of another realm gains nothing there', async () => {
  assert.equal((await server.ask('POST', '/admins', { cookie: they.root, body: { id: 'jwt-admin', realms: ['_', 'one'], jwt: 'user-1' } })).status, 201);
  const { cookie } = await bearer('one', await idp.token());
  assert.equal((await server.ask('GET', '/admins', { cookie })).status, 403);
  assert.equal((await server.ask('GET', '/realms/one/userpass', { cookie })).status, 200);
});

test('a record names a user of the provider as jwt only; as userpass such a name is refused', async () => {
  const ask = (method: 'POST' | 'PUT', path: string, body: unknown) => server.ask(method, path, { cookie: they.root, body });
  for (const userpass of ['jwt:user-2', 'cc:user-2', 'user/2', '*', '..', 'user\n2'])
    assert.match(
      (await ask('POST', '/admins', { id: 'as-password', realms: ['_', 'one'], userpass })).body.message,
      /^body\/userpass: must be a name /,
      userpass,
    );
  assert.equal((await ask('POST', '/admins', { id: 'as-password', realms: ['_', 'one'], userpass: 'user-2' })).status, 201);
  assert.equal((await ask('PUT', '/admins/as-password', { realms: ['_', 'one'], userpass: 'jwt:user-2' })).status, 400);
  const { cookie } = await bearer('one', await idp.token({ sub: 'user-2' }));
  assert.equal((await server.ask('GET', '/realms/one/userpass', { cookie })).status, 403);
});

test('in a stored realm whose providers have names in common, each belongs to the longest issuer', async () => {
  const inner = `${idp.issuer}#b`;
  const store = new DatabaseSync(join(server.dataDir, 'gatehouse.db'));
  store.exec(`UPDATE realm SET auth_params = replace(auth_params, '${second.issuer}', '${inner}') WHERE id = 'two'`);
  store.close();
  const tokens = [await idp.token({ sub: 'b#ada' }), await second.token({ iss: inner, sub: 'ada' }), await idp.token({ sub: 'ada' })];
  const cookies = (await Promise.all(tokens.map((token) => bearer('two', token)))).map(({ cookie = 'none' }) => cookie);
  const names = await Promise.all(cookies.map(async (cookie) => (await server.ask('GET', '/whoami', { cookie })).body.sub));
  assert.deepEqual(names, [undefined, `${inner}#ada`, `${idp.issuer}#ada`]);
});

test.run();
