// What the deleted have owned, over HTTPS on both databases: a super admin sees it, hands it over or destroys it, and everything is audited.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { Again } from '../../again.ts';
import { type IdentityProvider, startIdentityProvider } from '../../identity-provider.ts';
import { testDatabases } from '../../stores.ts';

// covers: GET /access/tombstones, POST /access/transfer, POST /access/destroy

const databases = await testDatabases();
const idp: IdentityProvider = await startIdentityProvider(() => Date.now());
test.after(() => Promise.all([idp.end(), ...databases.map((database) => database.stop())]).then(() => {}));

interface Tombstone {
  readonly account: string;
  readonly name: string;
  readonly ended_at: number | null;
  readonly objects: number;
}

const listed = async (again: Again): Promise<Tombstone[]> => (await again.admin('GET', '/access/tombstones')).body.tombstones;
const drop = (again: Again, username: string) => again.admin('DELETE', `/realms/team/userpass/${username}`);
const events = async (again: Again, event: string): Promise<Record<string, string>[]> =>
  (await again.admin('GET', `/audit?event=${event}&limit=1000`)).body.events;

for (const database of databases) {
  const on = (what: string, run: (again: Again) => Promise<void>) =>
    test(`${database.dialect}: ${what}`, async () => {
      const again = await Again.on(database, idp);
      try {
        await again.all.realm('team');
        await run(again);
      } finally {
        await again.end();
      }
    });

  on('everything of somebody deleted goes to another, and what they were granted to nobody', async (again) => {
    const bob = await again.user('team', 'bob');
    const carol = await again.user('team', 'carol');
    const alice = await again.user('team', 'alice');
    const keys = [await alice.create('one'), await alice.create('two'), await alice.create('three')];
    await alice.grant(keys[0] as string, 'team/bob');
    const lent = await bob.create('lent');
    await bob.grant(lent, 'team/alice');
    assert.deepEqual(await listed(again), []);
    await drop(again, 'alice');
    const [tombstone, ...others] = await listed(again);
    assert.deepEqual(others, []);
    const { account, ended_at, ...rest } = tombstone as Tombstone;
    assert.deepEqual(rest, { name: 'team/alice', objects: 3 });
    assert.ok(Math.abs((ended_at as number) - Date.now() / 1000) < 60, String(ended_at));
    // One of them, by the name, which only one tombstone has.
    const [first] = keys as [string];
    const one = await again.admin('POST', '/access/transfer', { from: 'team/alice', to: 'team/carol', unique_identifier: first });
    assert.deepEqual(one.body, { transferred: 1, remaining: 2 });
    assert.deepEqual(await carol.owned(), [first]);
    assert.ok(await carol.canUse(first));
    assert.ok(await bob.canUse(first), 'a grant stays with its object');
    assert.deepEqual(await carol.granted(first), ['team/bob']);
    // Found as the new owner's, and not as anybody else's.
    const named = (name: string) => ({
      tag: 'Attributes',
      value: [
        {
          tag: 'Name',
          value: [
            { tag: 'NameValue', type: 'TextString', value: name },
            { tag: 'NameType', type: 'Enumeration', value: 'UninterpretedTextString' },
          ],
        },
      ],
    });
    assert.deepEqual((await carol.kmip('Locate', named('one'))).ids, [first]);
    // The rest, by the account, after a name like it was used again.
    await again.user('team', 'alice');
    const all = await again.admin('POST', '/access/transfer', { from: account, to: 'team/carol' });
    assert.deepEqual(all.body, { transferred: 2, remaining: 0 });
    await again.restart();
    assert.deepEqual((await carol.owned()).sort(), [...keys].sort());
    for (const key of keys) assert.ok(await carol.canUse(key));
    assert.deepEqual(await listed(again), []);
    assert.equal(await carol.canUse(lent), false);
    assert.deepEqual(await carol.obtained(), []);
    const rows = await events(again, 'key.transfer');
    assert.deepEqual(rows.map(({ target }) => target).sort(), [...keys].sort());
    for (const { actor, realm, scheme, outcome, reason } of rows) {
      assert.deepEqual([actor, realm, scheme, outcome], ['_/admin', '_', 'up', 'success']);
      assert.ok(reason?.includes('team/alice') && reason.includes('team/carol') && reason.includes(account), reason);
    }
  });

  on('what a role, a service account and a user of a provider have left', async (again) => {
    const realm = { auth_params: { jwt_params: { idp_params: [{ jwt_issuer_uri: idp.issuer, jwks_uri: idp.jwksUri }] } } };
    await again.all.realm('guests', realm);
    const heir = await again.user('team', 'heir');
    const left: string[] = [];
    for (const holder of [await again.byRole('backup'), await again.byCluster('web'), await again.byJwt('guests', 'dave'), await again.user('guests', 'erin')])
      left.push(await holder.create('left'));
    await again.admin('DELETE', '/auth/approle/role/backup');
    await again.admin('DELETE', '/auth/cluster/role/web');
    await again.admin('DELETE', '/admins/realms/guests');
    const tombstones = await listed(again);
    const names = ['approle:backup', 'cluster:web/prod/app', 'guests/erin', 'guests/jwt:dave'];
    assert.deepEqual(tombstones.map(({ name }) => name).sort(), names);
    for (const name of names)
      assert.deepEqual((await again.admin('POST', '/access/transfer', { from: name, to: 'team/heir' })).body, { transferred: 1, remaining: 0 });
    assert.deepEqual((await heir.owned()).sort(), left.sort());
  });

  on('two of one name are told apart by their accounts', async (again) => {
    const heir = await again.user('team', 'heir');
    const keys: string[] = [];
    for (let at = 0; at < 2; at++) {
      keys.push(await (await again.user('team', 'alice')).create(`of ${at}`));
      await drop(again, 'alice');
    }
    const refused = await again.admin('POST', '/access/transfer', { from: 'team/alice', to: 'team/heir' }, 422);
    const accounts = (await listed(again)).map(({ account }) => account);
    assert.equal(new Set(accounts).size, 2);
    for (const account of accounts) assert.ok(refused.text.includes(account), refused.text);
    for (const account of accounts) await again.admin('POST', '/access/transfer', { from: account, to: 'team/heir' });
    assert.deepEqual((await heir.owned()).sort(), keys.sort());
  });

  on('destroyed by a super admin: all states, one or all', async (again) => {
    const alice = await again.user('team', 'alice');
    const bob = await again.user('team', 'bob');
    const keys = [await alice.create('one'), await alice.create('two'), await alice.create('three')] as [string, string, string];
    await alice.grant(keys[2], 'team/bob');
    await drop(again, 'alice');
    assert.deepEqual((await again.admin('POST', '/access/destroy', { from: 'team/alice', unique_identifier: keys[0] })).body, { destroyed: 1, remaining: 2 });
    assert.ok(await bob.canUse(keys[2]));
    assert.deepEqual((await again.admin('POST', '/access/destroy', { from: 'team/alice' })).body, { destroyed: 2, remaining: 0 });
    assert.equal(await bob.canUse(keys[2]), false);
    assert.deepEqual(await listed(again), []);
    await again.admin('POST', '/access/destroy', { from: 'team/alice', unique_identifier: keys[0] }, 404);
    const rows = await events(again, 'key.destroy');
    assert.deepEqual(rows.map(({ target, actor }) => `${target} ${actor}`).sort(), keys.map((key) => `${key} _/admin`).sort());
  });

  on('what cannot be: the living give nothing up, and nobody inherits who is not there', async (again) => {
    const alice = await again.user('team', 'alice');
    const key = await alice.create('hers');
    await again.user('team', 'bob');
    const refused = async (body: unknown, status: number, path = '/access/transfer') => {
      const answer = await again.ask('POST', path, body);
      assert.equal(answer.status, status, `${JSON.stringify(body)}: ${answer.text}`);
    };
    await refused({ from: 'team/alice', to: 'team/bob' }, 404);
    await refused({ from: 'account:team/alice', to: 'team/bob' }, 404);
    await refused({ from: 'team/alice' }, 404, '/access/destroy');
    await drop(again, 'alice');
    for (const to of ['team/nobody', 'team/alice', 'team/*', '*', 'none/bob', 'none/jwt:x', 'approle:none', 'cluster:none/a/b', 'a:b', 'account:team/bob'])
      await refused({ from: 'team/alice', to }, 422);
    await refused({ from: 'team/alice', to: 'team/bob', unique_identifier: 'none' }, 404);
    await refused({ from: 'team/bob', to: 'team/bob' }, 404);
    await refused({ from: '', to: 'team/bob' }, 400);
    await refused({ from: 'team/alice', to: 'team/bob', more: 1 }, 400);
    // To the name of a certificate, which is no account here.
    assert.equal((await again.admin('POST', '/access/transfer', { from: 'team/alice', to: 'owner@acme.com' })).body.transferred, 1);
    assert.equal((await again.admin('GET', '/access/tombstones')).body.tombstones.length, 0);
    assert.equal(typeof key, 'string');
  });

  on('for super admins only', async (again) => {
    const alice = await again.user('team', 'alice');
    const key = await alice.create('hers');
    await drop(again, 'alice');
    const realmAdmin = again.holder({ cookie: await again.all.realmAdmin('team', 'chief') });
    const machine = await again.byRole('backup');
    for (const [holder, status] of [
      [realmAdmin, 403],
      [await again.user('team', 'alice'), 403],
      [machine, 401],
      [again.holder({}), 401],
    ] as const) {
      assert.equal((await holder.ask('GET', '/access/tombstones')).status, status);
      assert.equal((await holder.ask('POST', '/access/transfer', { from: 'team/alice', to: 'team/chief' })).status, status);
      assert.equal((await holder.ask('POST', '/access/destroy', { from: 'team/alice', unique_identifier: key })).status, status);
    }
    assert.equal((await listed(again))[0]?.objects, 1);
  });

  on('keysets of one name are not mixed', async (again) => {
    const keyset = {
      tag: 'RotateName',
      value: [
        { tag: 'RotateNameValue', type: 'TextString', value: 'set' },
        { tag: 'RotateNameType', type: 'Enumeration', value: 'UninterpretedTextString' },
      ],
    };
    const alice = await again.user('team', 'alice');
    const bob = await again.user('team', 'bob');
    const carol = await again.user('team', 'carol');
    const theirs = await alice.create('theirs', keyset);
    const rotated = await alice.kmip('ReKey', { tag: 'UniqueIdentifier', type: 'TextString', value: theirs });
    assert.equal(rotated.status, 200, rotated.text);
    await bob.create('own', keyset);
    await drop(again, 'alice');
    const refused = await again.admin('POST', '/access/transfer', { from: 'team/alice', to: 'team/bob' }, 422);
    assert.match(refused.text, /set/);
    // Half of a keyset goes, and the other half goes after it.
    await again.admin('POST', '/access/transfer', { from: 'team/alice', to: 'team/carol', unique_identifier: theirs });
    assert.deepEqual((await again.admin('POST', '/access/transfer', { from: 'team/alice', to: 'team/carol' })).body, { transferred: 1, remaining: 0 });
    assert.equal((await carol.owned()).length, 2);
    assert.ok(await carol.canUse('set@latest'));
  });

  on('lists have pages, and many objects go with one call', async (again) => {
    const heir = await again.user('team', 'heir');
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await (await again.user('team', name)).create('left');
      await drop(again, name);
    }
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const { tombstones, next } = (await again.admin('GET', `/access/tombstones?limit=2${after}`)).body;
      assert.ok(tombstones.length <= 2);
      seen.push(...tombstones.map(({ name }: Tombstone) => name));
      if (next === null) break;
      after = `&after=${encodeURIComponent(next)}`;
    }
    assert.deepEqual(seen, ['team/a', 'team/b', 'team/c', 'team/d', 'team/e']);
    await again.admin('GET', '/access/tombstones?limit=0', undefined, 400);
    const alice = await again.user('team', 'alice');
    for (let at = 0; at < 250; at += 50) await Promise.all(Array.from({ length: 50 }, (_, index) => alice.create(`many ${at + index}`)));
    await drop(again, 'alice');
    assert.deepEqual((await again.admin('POST', '/access/transfer', { from: 'team/alice', to: 'team/heir' })).body, { transferred: 250, remaining: 0 });
    assert.equal((await heir.owned()).length, 250);
  });
}

test.run();
