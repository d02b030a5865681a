// Names of machines' roles that are used again on a started server, and of anybody where two nodes serve one database: who is made anew has nothing of the one before.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { Again } from '../again.ts';
import { entangle, hasNothing } from '../entangled.ts';
import { type IdentityProvider, startIdentityProvider } from '../identity-provider.ts';
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

  on('a role of machines', async (again) => {
    const other = await again.byRole('other');
    const backup = await again.byRole('backup');
    const before = await entangle(backup, other);
    // Another POST changes the role: it is the same one.
    assert.deepEqual(await (await again.byRole('backup')).owned(), [before.own]);
    await again.admin('DELETE', '/auth/approle/role/backup');
    assert.equal(await backup.status(), 401, 'the token');
    const next = await again.byRole('backup');
    assert.equal(await backup.status(), 401);
    await again.restart();
    await hasNothing(next, other, before);
  });

  on('a role of a cluster; two clusters have two identities', async (again) => {
    const other = await again.byCluster('other');
    const web = await again.byCluster('web');
    assert.deepEqual([(await other.me()).user, (await web.me()).user], ['cluster:other/prod/app', 'cluster:web/prod/app']);
    const before = await entangle(web, other);
    assert.deepEqual(await (await again.byCluster('web')).owned(), [before.own], 'a second token of the same account');
    assert.deepEqual(await (await again.byCluster('web', 'prod:another')).owned(), []);
    assert.deepEqual(await (await again.byCluster('third')).owned(), [], 'the account of the same name in another cluster');
    await again.admin('DELETE', '/auth/cluster/role/web');
    assert.equal(await web.status(), 401, 'the token');
    const next = await again.byCluster('web');
    assert.equal(await web.status(), 401);
    await again.restart();
    await hasNothing(next, other, before);
  });

  on('a role that is pointed at another cluster', async (again) => {
    const other = await again.byCluster('other');
    const web = await again.byCluster('web');
    const before = await entangle(web, other);
    // What does not say which cluster it is changes nothing.
    const more = await again.byCluster('web', 'prod:app', { token_policies: ['more'], token_ttl: 60 });
    assert.deepEqual([await web.status(), await more.owned()], [200, [before.own]]);
    const next = await again.byCluster('web', 'prod:app', { jwks_url: `${idp.jwksUri}?of=another` });
    // A token is what it was issued for, until the role is deleted.
    assert.deepEqual([await web.owned(), await more.owned()], [[before.own], [before.own]]);
    await hasNothing(next, other, before);
    assert.deepEqual(await (await again.byCluster('web', 'prod:app', { jwks_url: idp.jwksUri })).owned(), [], 'and back again');
  });
}

for (const database of databases.filter(({ dialect }) => dialect === 'postgres'))
  test('postgres: what ends on one node has ended on the other', async () => {
    const one = await Again.on(database, idp);
    const other = await one.another();
    try {
      await one.all.realm('team');
      const bob = await other.user('team', 'bob');
      const alice = await other.user('team', 'alice');
      const backup = await other.byRole('backup');
      const aliceHere = one.holder(alice.credential);
      const before = await entangle(alice, bob);
      const machines = await entangle(backup, bob);
      await one.admin('DELETE', '/realms/team/userpass/alice');
      await one.admin('DELETE', '/auth/approle/role/backup');
      assert.deepEqual([await alice.status(), await aliceHere.status(), await backup.status()], [401, 401, 401]);
      await hasNothing(await one.user('team', 'alice'), bob, before);
      await hasNothing(await one.byRole('backup'), bob, machines);
      const next = await other.session('team', 'alice');
      assert.equal(await next.canUse(before.own), false);
      await one.admin('POST', '/access/transfer', { from: 'team/alice', to: 'team/bob' });
      assert.ok((await bob.owned()).includes(before.own));
      await one.admin('POST', '/access/destroy', { from: 'approle:backup' });
      assert.equal(await bob.canUse(machines.own), false);
    } finally {
      await other.end();
      await one.end();
    }
  });

test.run();
