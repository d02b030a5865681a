// Realm `_` opens only for names that an admin record lists for `_`, by every scheme and at once.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type IdentityProvider, startIdentityProvider } from '../identity-provider.ts';
import { type People, people } from '../people.ts';
import { type SecureServer, startSecureServer } from '../secure-server.ts';
import { signInAdmin } from '../server.ts';
import { testDatabases } from '../stores.ts';

// Passwords are hashed at the server's cost, so that other requests arrive during a sign-in.
process.env['GATEHOUSE_TEST_PASSWORD_COST'] = 'full';

const databases = await testDatabases();

for (const database of databases) {
  let server: SecureServer;
  let they: People;
  let idp: IdentityProvider;
  const name = (text: string) => `${database.dialect}: ${text}`;
  const record = (cookie: string, id: string, members: object) => server.ask('POST', '/admins', { cookie, body: { id, ...members } });
  const bearer = async (realm: string, sub: string) =>
    server.ask('POST', `/login?realm=${realm}`, { headers: { authorization: `Bearer ${await idp.token({ sub })}` } });
  const byCard = async (realm: string, cn: string) => server.as(await server.client(cn))('POST', `/login?realm=${realm}`);
  const byPassword = (realm: string, user: string) => they.signIn(realm, user, `${user} password`);

  test(name('the people of these tests'), async () => {
    server = await startSecureServer(database.dialect === 'sqlite' ? {} : { config: `[store]\nurl = "${await database.url()}"` });
    they = people(server, await signInAdmin(server));
    idp = await startIdentityProvider(() => server.clock.now());
    const auth_params = { jwt_params: { idp_params: [{ jwt_issuer_uri: idp.issuer, jwks_uri: idp.jwksUri, jwt_audience: 'gatehouse' }] } };
    assert.equal((await server.ask('PUT', '/admins/realms/_', { cookie: they.root, body: { auth_params } })).status, 200);
    await they.realm('r1', { auth_params });
  });

  test(name("a realm admin's record opens the realm's own door and not that of `_`"), async () => {
    const eve = await they.realmAdmin('r1', 'eve');
    assert.equal((await record(eve, 'card', { realms: ['r1'], client_certificate: 'mallory' })).status, 201);
    assert.equal((await record(eve, 'token', { realms: ['r1'], jwt: 'mallory' })).status, 201);
    assert.equal((await record(eve, 'word', { realms: ['r1'], userpass: 'mallory' })).status, 201);
    await they.user('_', 'mallory', 'mallory password');
    await they.user('r1', 'mallory', 'mallory password');
    for (const way of [byCard, bearer, byPassword]) {
      const refused = await way('_', 'mallory');
      assert.deepEqual([refused.status, refused.body.code, refused.cookie], [401, 'AUTH_DENIED', undefined], way.name);
      assert.equal((await way('r1', 'mallory')).status, 200, way.name);
    }
  });

  test(name('nor does a name that no record has, or one that a record has for another scheme'), async () => {
    assert.equal((await record(they.root, 'other', { realms: ['_'], fido2: 'nina', client_certificate: 'carl', jwt: 'jane', userpass: 'paul' })).status, 201);
    for (const user of ['nina', 'carl', 'jane', 'paul', 'other']) await they.user('_', user, `${user} password`);
    for (const [way, own] of [
      [byCard, 'carl'],
      [bearer, 'jane'],
      [byPassword, 'paul'],
    ] as const)
      for (const user of ['nina', 'carl', 'jane', 'paul', 'other', 'nobody'])
        assert.equal((await way('_', user)).status, user === own ? 200 : 401, `${way.name} ${user}`);
  });

  test(name('the refusal of a right password looks like that of a wrong one, and a record that goes closes the door for the next login'), async () => {
    await they.user('_', 'quin', 'quin password');
    const words = ({ status, body }: { status: number; body: { code: string; message: string } }) => [status, body.code, body.message];
    assert.deepEqual(words(await byPassword('_', 'quin')), words(await they.signIn('_', 'quin', 'wrong password')));
    assert.deepEqual(words(await they.signIn('_', 'quin', 'quin password', { new_password: 'short' })), words(await byPassword('_', 'quin')));
    await server.ask('POST', '/realms/_/userpass/quin/unlock', { cookie: they.root });
    assert.equal((await record(they.root, 'quin', { realms: ['r1'], userpass: 'quin' })).status, 201);
    assert.equal((await byPassword('_', 'quin')).status, 401);
    assert.equal((await server.ask('PUT', '/admins/quin/realms/_', { cookie: they.root })).status, 200);
    assert.equal((await byPassword('_', 'quin')).status, 200);
    assert.equal((await server.ask('DELETE', '/admins/quin/realms/_', { cookie: they.root })).status, 200);
    assert.equal((await byPassword('_', 'quin')).status, 401);
  });

  test(name('the session of somebody whom no record admits any more ends, by every scheme, and no other'), async () => {
    const there = { realms: ['_'], userpass: 'rita', jwt: 'rita', client_certificate: 'rita' };
    const change = async (method: 'PUT' | 'DELETE', path: string, body?: object) =>
      assert.ok((await server.ask(method, `/admins/${path}`, { cookie: they.root, body })).status < 300, path);
    const lives = async ({ cookie }: { cookie?: string | undefined }) => (await server.ask('GET', '/whoami', { cookie })).status === 200;
    await they.user('_', 'rita', 'rita password');
    for (const [what, goes, stays] of [
      ['the record lists another realm', () => change('PUT', 'rita', { ...there, realms: ['r1'] }), []],
      ['the realm is taken from it', () => change('DELETE', 'rita/realms/_'), []],
      ['it names others', () => change('PUT', 'rita', { realms: ['_'], jwt: 'other', client_certificate: 'rita' }), [byCard]],
      [
        'another one admits two of them',
        async () => {
          assert.equal((await record(they.root, 'rita2', { realms: ['_'], jwt: 'rita', client_certificate: 'rita' })).status, 201);
          await change('PUT', 'rita', { realms: [] });
        },
        [byCard, bearer],
      ],
      [
        'both are deleted',
        async () => {
          await change('DELETE', 'rita2');
          await change('DELETE', 'rita');
        },
        [],
      ],
    ] as const) {
      const known = (await server.ask('GET', '/admins/rita', { cookie: they.root })).status === 200;
      if (known) await change('PUT', 'rita', there);
      else assert.equal((await record(they.root, 'rita', there)).status, 201);
      const elsewhere = await byCard('r1', 'rita');
      const inside = await Promise.all([byCard, bearer, byPassword].map(async (way) => ({ way, session: await way('_', 'rita') })));
      for (const { session } of inside) assert.ok(await lives(session), what);
      await goes();
      for (const { way, session } of inside) assert.equal(await lives(session), (stays as readonly unknown[]).includes(way), `${what}: ${way.name}`);
      assert.ok(await lives(elsewhere), what);
    }
  });

  test(name('a record that goes while the password is hashed lets nobody in'), async () => {
    assert.equal((await server.ask('PUT', '/admins/quin/realms/_', { cookie: they.root })).status, 200);
    const entering = Array.from({ length: 8 }, () => byPassword('_', 'quin'));
    assert.equal((await server.ask('DELETE', '/admins/quin/realms/_', { cookie: they.root })).status, 200);
    const after = (await Promise.all(entering)).map(({ status }) => status);
    assert.ok(
      after.slice(4).every((status) => status === 401),
      String(after),
    );
    await idp.end();
    await server.end();
  });
}

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
