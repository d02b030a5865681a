// --reset-admin gives realm `_` its admin back, and nobody else anything: not even whoever holds the id of the admin's record by now.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type IdentityProvider, startIdentityProvider } from '../identity-provider.ts';
import { people } from '../people.ts';
import { signInAdmin, startServer, type TestServer } from '../server.ts';

/** A server whose realm `_` trusts a provider, and whose first admin has given way to another super admin. */
async function withoutAdmin(): Promise<{ server: TestServer; idp: IdentityProvider; eve: string; second: string }> {
  const server = await startServer();
  const idp = await startIdentityProvider(() => server.clock.now());
  const they = people(server, await signInAdmin(server));
  const auth_params = { jwt_params: { idp_params: [{ jwt_issuer_uri: idp.issuer, jwks_uri: idp.jwksUri, jwt_audience: 'gatehouse' }] } };
  assert.equal((await server.ask('PUT', '/admins/realms/_', { cookie: they.root, body: { auth_params } })).status, 200);
  await they.realm('r');
  const eve = await they.realmAdmin('r', 'eve');
  await they.user('_', 'second', 'second password');
  assert.equal((await server.ask('POST', '/admins', { cookie: they.root, body: { id: 'second', realms: ['_'], userpass: 'second' } })).status, 201);
  const second = await they.session('_', 'second', 'second password');
  assert.equal((await server.ask('DELETE', '/admins/admin', { cookie: second })).status, 204);
  return { server, idp, eve, second };
}

const resetIn = async ({ dataDir }: TestServer) => startServer({ dataDir, argv: ['--reset-admin'] });
const bearer = async (server: TestServer, idp: IdentityProvider, sub: string) =>
  server.ask('POST', '/login?realm=_', { headers: { authorization: `Bearer ${await idp.token({ sub })}` } });

test('the administrator of a realm who has made a record `admin` does not get into `_` by it, and keeps it', async () => {
  const { server, idp, eve } = await withoutAdmin();
  const record = { id: 'admin', realms: ['r'], userpass: 'eve', jwt: 'eve', client_certificate: 'eve' };
  assert.equal((await server.ask('POST', '/admins', { cookie: eve, body: record })).status, 201);
  assert.equal((await bearer(server, idp, 'eve')).status, 401);
  await server.stop();
  const again = await resetIn(server);
  assert.equal((await bearer(again, idp, 'eve')).status, 401);
  const root = await signInAdmin(again, 'third password');
  assert.equal((await again.ask('GET', '/admins', { cookie: root })).status, 200);
  const { realms, userpass, jwt, client_certificate } = (await again.ask('GET', '/admins/admin', { cookie: root })).body;
  assert.deepEqual({ id: 'admin', realms, userpass, jwt, client_certificate }, record);
  await again.stop();
  // The next reset finds the record that the first one has made.
  const third = await resetIn(server);
  const { body } = await third.ask('GET', '/admins', { cookie: await signInAdmin(third, 'fourth password') });
  assert.deepEqual(
    body.filter((each: { realms: string[] }) => each.realms.includes('_')).map((each: { userpass: string }) => each.userpass),
    ['admin', 'second'],
  );
  await third.end();
  await idp.end();
  await server.end();
});

test('a record of `_` that names the admin under another id stays the only one, with its other names', async () => {
  const { server, idp, second } = await withoutAdmin();
  const record = { id: 'chief', realms: ['_'], userpass: 'admin', jwt: 'chief' };
  assert.equal((await server.ask('POST', '/admins', { cookie: second, body: record })).status, 201);
  await server.stop();
  const again = await resetIn(server);
  assert.equal((await bearer(again, idp, 'chief')).status, 200);
  const { body } = await again.ask('GET', '/admins', { cookie: await signInAdmin(again, 'third password') });
  assert.deepEqual(
    body.map((each: { id: string }) => each.id),
    ['chief', 'r-eve', 'second'],
  );
  await again.end();
  await idp.end();
  await server.end();
});

test('the session of whoever a record of the admin names meanwhile ends with the name', async () => {
  const { server, idp, second } = await withoutAdmin();
  assert.equal((await server.ask('POST', '/admins', { cookie: second, body: { id: 'admin', realms: ['_'], userpass: 'second' } })).status, 201);
  assert.equal((await server.ask('DELETE', '/admins/second/realms/_', { cookie: second })).status, 200);
  assert.equal((await server.ask('GET', '/admins', { cookie: second })).status, 200);
  await server.stop();
  const again = await resetIn(server);
  assert.equal((await again.ask('GET', '/whoami', { cookie: second })).status, 401);
  await again.end();
  await idp.end();
  await server.end();
});

test.run();
