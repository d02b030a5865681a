// The last way in to realm `_`: what nobody has signed in by is none, whatever an admin record says.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type IdentityProvider, startIdentityProvider } from '../../identity-provider.ts';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import { type Answer, signInAdmin, type TestServerOptions } from '../../server.ts';
import { testDatabases } from '../../stores.ts';

const PASSWORD = 'a new password';

const databases = await testDatabases();
for (const database of databases) {
  const name = (text: string) => `${database.dialect}: ${text}`;
  const start = async (config = ''): Promise<SecureServer> => {
    const store = database.dialect === 'sqlite' ? '' : `[store]\nurl = "${await database.url()}"\n`;
    return startSecureServer({ config: `${store}${config}` } satisfies TestServerOptions);
  };
  const refused = ({ status, body }: Answer) => assert.deepEqual([status, body?.code], [409, 'AUTH_LAST_SUPER_ADMIN']);
  const ok = ({ status, text }: Answer) => assert.equal(status, 200, text);

  for (const realms of ['["*"]', '[]']) {
    test(name(`PUT /admins/{admin_id}: a certificate that nobody has shown, certificate_realms = ${realms}`), async () => {
      const server = await start(`[auth]\ncertificate_realms = ${realms}\n`);
      const cookie = await signInAdmin(server);
      const put = (body: object) => server.ask('PUT', '/admins/admin', { cookie, body: { realms: ['_'], ...body } });
      refused(await put({ client_certificate: '0' }));
      // Beside the password it may stand, and the password stays the only way.
      ok(await put({ userpass: 'admin', client_certificate: '0' }));
      refused(await put({ client_certificate: '0' }));
      refused(await server.ask('DELETE', '/realms/_/userpass/admin', { cookie }));
      const disabled = { auth_params: { username_password_params: { enabled: false } } };
      refused(await server.ask('PUT', '/admins/realms/_', { cookie, body: disabled }));
      // Nor is it one as the record of somebody else.
      assert.equal((await server.ask('POST', '/admins', { cookie, body: { id: 'other', realms: ['_'], client_certificate: '1' } })).status, 201);
      refused(await server.ask('DELETE', '/admins/admin', { cookie }));
      refused(await server.ask('DELETE', '/admins/admin/realms/_', { cookie }));
      ok(await server.ask('GET', '/admins', { cookie }));
      await server.end();
    });
  }

  test(name('a certificate that was shown is a way in, for its own name only'), async () => {
    const server = await start();
    const cookie = await signInAdmin(server);
    const card = await server.client('root by card');
    const put = (body: object) => server.ask('PUT', '/admins/admin', { cookie, body: { realms: ['_'], ...body } });
    ok(await put({ userpass: 'admin', client_certificate: 'root by card' }));
    const { cookie: own } = await server.as(card)('POST', '/login?realm=_');
    refused(await put({ client_certificate: 'another card' }));
    ok(await put({ client_certificate: 'root by card' }));
    assert.deepEqual([(await server.ask('GET', '/admins', { cookie })).status, (await server.ask('GET', '/admins', { cookie: own })).status], [401, 200]);
    refused(await server.ask('PUT', '/admins/admin', { cookie: own, body: { realms: ['_'], client_certificate: null } }));
    refused(await server.ask('PUT', '/admins/admin', { cookie: own, body: { realms: ['_'], client_certificate: 'another card' } }));
    ok(await server.as(card)('POST', '/login?realm=_'));
    await server.end();
  });

  test(name('a user of an identity provider is one after a sign-in, and until the providers of _ are others'), async () => {
    const server = await start();
    const cookie = await signInAdmin(server);
    const idp = await startIdentityProvider(() => server.clock.now());
    const realm = (providers: readonly object[]) =>
      server.ask('PUT', '/admins/realms/_', { cookie, body: { auth_params: { jwt_params: { idp_params: providers } } } });
    const put = (body: object) => server.ask('PUT', '/admins/admin', { cookie, body: { realms: ['_'], ...body } });
    const provider = providerOf(idp);
    ok(await realm([provider]));
    refused(await put({ jwt: 'user-1' }));
    ok(await put({ userpass: 'admin', jwt: 'user-1' }));
    refused(await put({ jwt: 'user-1' }));
    const login = await server.ask('POST', '/login?realm=_', { headers: { authorization: `Bearer ${await idp.token()}` } });
    ok(login);
    // With a second provider the same user has another name.
    ok(await realm([provider, { ...provider, jwt_issuer_uri: 'https://second.example' }]));
    refused(await put({ jwt: 'user-1' }));
    ok(await realm([provider]));
    refused(await put({ jwt: 'user-1' }));
    const again = await server.ask('POST', '/login?realm=_', { headers: { authorization: `Bearer ${await idp.token()}` } });
    ok(again);
    ok(await realm([provider]));
    ok(await put({ jwt: 'user-1' }));
    refused(await server.ask('PUT', '/admins/realms/_', { cookie: again.cookie, body: { auth_params: {} } }));
    const others = { jwt_params: { idp_params: [{ ...provider, jwt_issuer_uri: 'https://third.example' }] } };
    refused(await server.ask('PUT', '/admins/realms/_', { cookie: again.cookie, body: { auth_params: others } }));
    assert.equal((await server.ask('POST', '/login?realm=_', { user: `admin:${PASSWORD}` })).status, 401);
    await idp.end();
    await server.end();
  });
}

function providerOf({ issuer, jwksUri }: IdentityProvider) {
  return { jwt_issuer_uri: issuer, jwks_uri: jwksUri, jwt_audience: 'gatehouse' };
}

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
