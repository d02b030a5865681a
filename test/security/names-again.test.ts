// Names that are used again on a started server: who is made anew under the name of somebody deleted has nothing of theirs, on both databases.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { Again } from '../again.ts';
import { entangle, hasNothing } from '../entangled.ts';
import { type IdentityProvider, startIdentityProvider } from '../identity-provider.ts';
import type { KeyHolder } from '../key-holder.ts';
import { testDatabases } from '../stores.ts';

const databases = await testDatabases();
const idp: IdentityProvider = await startIdentityProvider(() => Date.now());
test.after(() => Promise.all([idp.end(), ...databases.map((database) => database.stop())]).then(() => {}));

for (const database of databases) {
  const on = (what: string, run: (again: Again) => Promise<void>) =>
    test(`${database.dialect}: ${what}`, async () => {
      const again = await Again.on(database, idp);
      try {
        await run(again);
      } finally {
        await again.end();
      }
    });

  on('a credential', async (again) => {
    await again.all.realm('team');
    const bob = await again.user('team', 'bob');
    const alice = await again.user('team', 'alice');
    const before = await entangle(alice, bob);
    await again.admin('DELETE', '/realms/team/userpass/alice');
    assert.equal(await alice.status(), 401, 'the session');
    const next = await again.user('team', 'alice');
    assert.equal(await alice.status(), 401, 'the session, after the name was used again');
    await again.restart();
    await hasNothing(next, bob, before);
    // And a third one, who has nothing of the second.
    await again.admin('DELETE', '/realms/team/userpass/alice');
    const third = await again.user('team', 'alice');
    assert.deepEqual([await third.owned(), await third.obtained()], [[], []]);
    // A change of the credential is no new one.
    const kept = await third.create('kept');
    await again.admin('PUT', '/realms/team/userpass/alice', { password_input: { plaintext: 'another password' }, roles: ['r'] });
    const changed = again.holder({ cookie: await again.all.session('team', 'alice', 'another password') });
    assert.deepEqual(await changed.owned(), [kept]);
  });

  on('a name that was granted to before it was anybody’s goes to its first holder only', async (again) => {
    await again.all.realm('team');
    const bob = await again.user('team', 'bob');
    const key = await bob.create('lent');
    await bob.grant(key, 'team/carol');
    const first = await again.user('team', 'carol');
    assert.ok(await first.canUse(key));
    await again.admin('DELETE', '/realms/team/userpass/carol');
    // Granted after the end of the first: to whoever comes next.
    const other = await bob.create('lent again');
    await bob.grant(other, 'team/carol');
    const second = await again.user('team', 'carol');
    assert.deepEqual([await second.canUse(key), await second.canUse(other)], [false, true]);
    await again.admin('DELETE', '/realms/team/userpass/carol');
    const third = await again.user('team', 'carol');
    assert.deepEqual([await third.canUse(key), await third.canUse(other)], [false, false]);
  });

  on('a realm, with everybody in it and the grants to all of them', async (again) => {
    const realm = { auth_params: { jwt_params: { idp_params: [{ jwt_issuer_uri: idp.issuer, jwks_uri: idp.jwksUri }] } } };
    await again.all.realm('lasting');
    const bob = await again.user('lasting', 'bob');
    await again.all.realm('team', realm);
    const alice = await again.user('team', 'alice');
    const before = await entangle(alice, bob);
    const dave = await again.byJwt('team', 'dave');
    const daves = await entangle(dave, bob);
    const shared = await bob.create('shared');
    await bob.grant(shared, 'team/*');
    const never = await bob.create('for one who never came');
    await bob.grant(never, 'team/zoe');
    await bob.grant(never, 'team/jwt:zoe');
    assert.ok((await alice.canUse(shared)) && (await dave.canUse(shared)));
    await again.admin('DELETE', '/admins/realms/team');
    assert.deepEqual([await alice.status(), await dave.status()], [401, 401]);
    await again.all.realm('team', realm);
    const nextAlice = await again.user('team', 'alice');
    const nextDave = await again.byJwt('team', 'dave');
    assert.deepEqual([await alice.status(), await dave.status()], [401, 401]);
    await again.restart();
    for (const each of [nextAlice, nextDave, await again.user('team', 'zoe'), await again.byJwt('team', 'zoe')]) {
      assert.equal(await each.canUse(shared), false, 'a grant to the realm before');
      assert.equal(await each.canUse(never), false, 'a grant to nobody of the realm before');
    }
    await hasNothing(nextAlice, bob, before);
    await hasNothing(nextDave, bob, daves);
    await bob.grant(shared, 'team/*');
    assert.ok((await nextAlice.canUse(shared)) && (await nextDave.canUse(shared)));
    assert.deepEqual(await bob.granted(shared), ['team/*']);
  });

  on('the rights of an admin record', async (again) => {
    await again.all.realm('team');
    // The record is there before the credential, as is usual.
    await again.admin('POST', '/admins', { id: 'ann', realms: ['team', '_'], userpass: 'ann' }, 201);
    const status = async (holder: KeyHolder, path: string) => (await holder.ask('GET', path)).status;
    const list = '/realms/team/userpass';
    const ann = await again.user('team', 'ann');
    // A session in realm _ has all rights of its records.
    const annInRoot = await again.user('_', 'ann');
    assert.deepEqual([await status(ann, list), await status(annInRoot, list)], [200, 200]);
    for (const realm of ['team', '_']) await again.admin('DELETE', `/realms/${realm}/userpass/ann`);
    const next = await again.user('team', 'ann');
    await again.restart();
    assert.equal(await status(next, list), 403, 'the rights of the one before');
    await again.all.user('_', 'ann', 'a good password');
    const refused = async () => (await again.all.signIn('_', 'ann', 'a good password')).status;
    assert.equal(await refused(), 401, 'realm _ opens for those whom a record lists only');
    // A realm more gives nothing of the others back; the record written again does.
    await again.all.realm('second');
    await again.admin('PUT', '/admins/ann/realms/second');
    assert.deepEqual([await status(next, list), await refused()], [403, 401]);
    await again.admin('PUT', '/admins/ann', { realms: ['team', '_'], userpass: 'ann' });
    assert.deepEqual([await status(next, list), await status(await again.session('_', 'ann'), list)], [200, 200]);
    // Ending the record ends its credential, and not one of the same name that the record does not stand for.
    await again.admin('DELETE', '/realms/team/userpass/ann');
    await again.user('team', 'ann');
    await again.admin('DELETE', '/admins/ann');
    await again.admin('GET', '/realms/team/userpass/ann');
    await again.admin('POST', '/admins', { id: 'ann', realms: ['team'], userpass: 'ann' }, 201);
    await again.admin('DELETE', '/admins/ann');
    await again.admin('GET', '/realms/team/userpass/ann', undefined, 404);
  });

  on('the rights of a realm’s admin, when the realm is made anew', async (again) => {
    await again.all.realm('team');
    await again.admin('POST', '/admins', { id: 'ann', realms: ['team', '_'], userpass: 'ann' }, 201);
    await again.user('_', 'ann');
    await again.user('team', 'ann');
    await again.admin('DELETE', '/admins/realms/team');
    await again.all.realm('team');
    const next = await again.user('team', 'ann');
    assert.equal((await next.ask('GET', '/realms/team/userpass')).status, 403);
    assert.deepEqual((await again.admin('GET', '/admins/ann')).body.realms, ['_']);
  });

  on('a super admin who was deleted and made anew does not count as the last one', async (again) => {
    await again.admin('POST', '/admins', { id: 'deputy', realms: ['_'], userpass: 'deputy' }, 201);
    const deputy = await again.user('_', 'deputy');
    assert.equal((await deputy.ask('GET', '/admins')).status, 200);
    await again.admin('DELETE', '/realms/_/userpass/deputy');
    await again.all.user('_', 'deputy', 'a good password');
    assert.equal((await again.all.signIn('_', 'deputy', 'a good password')).status, 401);
    // The deputy could not administer: the admin is the last one.
    await again.admin('DELETE', '/realms/_/userpass/admin', undefined, 409);
    await again.admin('PUT', '/admins/deputy', { realms: ['_'], userpass: 'deputy' });
    const next = await again.session('_', 'deputy');
    assert.equal((await next.ask('GET', '/admins')).status, 200);
    await again.admin('DELETE', '/realms/_/userpass/admin');
    assert.equal((await next.ask('GET', '/admins')).status, 200);
  });
}

/** A name is deleted and made anew while a login with the one before is under way: whoever is first, nobody comes in as another. */
test('a login under way does not become the session of who has the name next', async () => {
  const again = await Again.on(databases[0] as (typeof databases)[number], idp);
  try {
    await again.all.realm('team');
    // A hash that was made elsewhere, of another password: nothing is computed between the end of the one and the beginning of the other.
    const hashed = `$argon2id$v=19$m=65536,t=3,p=4$${Buffer.alloc(16, 1).toString('base64').replaceAll('=', '')}$${Buffer.alloc(32, 2).toString('base64').replaceAll('=', '')}`;
    for (let round = 0; round < 8; round++) {
      await again.all.user('team', 'alice', 'the old password');
      const logins = [undefined, { new_password: 'chosen by the old one' }].map((body) => again.all.signIn('team', 'alice', 'the old password', body));
      // The directory has been asked by now, and the hash is being computed.
      await new Promise((resolve) => setTimeout(resolve, 20 + round * 10));
      await again.admin('DELETE', '/realms/team/userpass/alice');
      const made = await again.admin('POST', '/realms/team/userpass', { username: 'alice', password_input: { hashed } }, 201);
      assert.equal(made.body.username, 'alice');
      for (const { cookie } of await Promise.all(logins)) if (cookie !== undefined) assert.equal(await again.holder({ cookie }).status(), 401);
      assert.equal((await again.all.signIn('team', 'alice', 'chosen by the old one')).status, 401, 'the password of the new one');
      await again.admin('DELETE', '/realms/team/userpass/alice');
    }
  } finally {
    await again.end();
  }
});

test.run();
