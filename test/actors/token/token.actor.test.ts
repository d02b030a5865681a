// The token actor, called as the front calls it: roles, secret ids, tokens and their quotas, races and restarts, on each database.
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { test } from 'uvu';
import type { Principal } from '../../../actors/directory/api.ts';
import type { ClusterRoleSettings, LoginOutcome, RoleSettings, TokenView } from '../../../actors/token/api.ts';
import { outcome } from '../../runtime.ts';
import { testDatabases } from '../../stores.ts';
import { type AuthActors, firstAdmin, itemsOf, QUOTAS, realm, SOURCE, startAuthActors } from '../auth-actors.ts';

const databases = await testDatabases();
test.after(async () => {
  for (const database of databases) await database.stop();
});

const ROLE: RoleSettings = {
  ...{ tokenTtlSeconds: 600, tokenMaxTtlSeconds: 1_000, tokenPolicies: ['sessions:read:r'], tokenRenewable: true },
  ...{ tokenBoundCidrs: [], tokenNumUses: 0, secretIdTtlSeconds: 300, secretIdNumUses: 0, secretIdBoundCidrs: [], bindSecretId: true },
};
const CLUSTER: ClusterRoleSettings = {
  ...{ tokenTtlSeconds: 600, tokenMaxTtlSeconds: 0, tokenPolicies: [], tokenRenewable: false, jwksUrl: 'https://cluster.example/jwks' },
  ...{ tokenBoundCidrs: [], tokenNumUses: 0 },
  ...{ serviceAccountNames: ['*'], serviceAccountNamespaces: ['shop'], expectedIssuer: null, audiences: null },
};
const FIRST = { after: undefined, limit: 100 };
const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

for (const database of databases) {
  let actors: AuthActors;
  let root: Principal;
  const on = (title: string, run: () => Promise<void>) => test(`${database.dialect}: ${title}`, run);
  const newToken = () => ({ digest: digestOf(randomUUID()), accessor: randomUUID(), source: SOURCE });

  on('starts', async () => {
    actors = await startAuthActors(database);
    root = await firstAdmin(actors);
    await actors.directory.createRealm(realm('r'), root);
  });

  const newSecretId = async (role: string, numUses = 0, ttlSeconds = 0) => {
    const secret = { role, digest: digestOf(randomUUID()), accessor: randomUUID(), ttlSeconds, numUses, boundCidrs: [], tokenBoundCidrs: [] };
    assert.equal(await actors.token.createSecretId(secret, root), true);
    return secret;
  };
  const logIn = async (role: string, secretDigest: string | null) => {
    const token = newToken();
    const roleId = (await actors.token.role(role))?.roleId as string;
    return { ...token, ...(await actors.token.loginRole({ ...token, roleId, secretDigest })) };
  };
  /** 1100 rows of a role, each with its number. */
  const fill = async (columns: string, values: string, params: readonly string[]) => {
    const numbers = 'WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1100)';
    await actors.store.transaction((tx) => tx.run(`INSERT INTO ${columns} ${numbers} SELECT ${values} FROM numbers`, params));
  };
  const fillTokens = (kind: string, role: string) =>
    fill(
      'app_token (digest, accessor, kind, role, entity, account, policies, created_at, expires_at, lease_seconds, max_expires_at, renewable)',
      "$1 || ' ' || n, $1 || ' ' || n, $2, $1, $1, '', '[]', n, 0, 0, 0, 0",
      [role, kind],
    );
  const fillSecretIds = (role: string) =>
    fill('secret_id (accessor, digest, role, created_at, expires_at, num_uses, uses, exhausted_at)', "$1 || ' ' || n, $1 || ' ' || n, $1, n, 0, 0, 0, 0", [
      role,
    ]);
  const issued = (login: LoginOutcome): TokenView => {
    if (login.outcome !== 'issued') throw new Error(`the login was ${login.outcome}`);
    return login.token;
  };

  on('a role is made and replaced by a super admin; its id and secret ids stay', async () => {
    await actors.token.putRole('web', ROLE, root);
    const before = await actors.token.role('web');
    const secret = await newSecretId('web');
    await actors.token.putRole('web', { ...ROLE, tokenTtlSeconds: 60 }, root);
    const after = await actors.token.role('web');
    assert.deepEqual(after, { ...before, tokenTtlSeconds: 60 });
    assert.equal((await logIn('web', secret.digest)).outcome, 'issued');
    await actors.token.putRole('web', ROLE, root);
    await actors.token.putRole('api', ROLE, root);
    assert.deepEqual(itemsOf(await actors.token.roles(FIRST)), ['api', 'web']);
    assert.equal(await actors.token.role('none'), null);
  });

  on('nobody but a super admin changes anything', async () => {
    const stranger = await actors.by('r', 'ann');
    const secret = { role: 'web', digest: digestOf('x'), accessor: 'x', ttlSeconds: 0, numUses: 0, boundCidrs: [], tokenBoundCidrs: [] };
    const refused = [
      actors.token.putRole('web', { ...ROLE, bindSecretId: false }, stranger),
      actors.token.deleteRole('web', stranger),
      actors.token.revokeTokens('web', stranger),
      actors.token.createSecretId(secret, stranger),
      actors.token.destroySecretId('web', 'x', stranger),
      actors.token.putClusterRole('shop', CLUSTER, stranger),
      actors.token.deleteClusterRole('shop', stranger),
    ];
    for (const call of refused) assert.equal(await outcome(call), 'FORBIDDEN');
    assert.equal((await actors.token.role('web'))?.bindSecretId, true);
    assert.equal(await actors.token.clusterRole('shop'), null);
  });

  on('a login needs a secret id of its role that is not over', async () => {
    const { digest, accessor } = await newSecretId('web', 0, 100);
    assert.equal((await actors.token.loginRole({ ...newToken(), roleId: randomUUID(), secretDigest: digest })).outcome, 'denied');
    for (const wrong of [null, digestOf('unknown')]) assert.equal((await logIn('web', wrong)).outcome, 'denied');
    assert.equal((await logIn('api', digest)).outcome, 'denied');
    assert.equal((await logIn('web', digest)).outcome, 'issued');
    const accessors = async () => itemsOf((await actors.token.accessors('web', FIRST)) ?? assert.fail());
    assert.ok((await accessors()).includes(accessor));
    await actors.runtime.advance(100_000);
    assert.ok(!(await accessors()).includes(accessor));
    assert.equal((await logIn('web', digest)).outcome, 'denied');
    assert.equal(await actors.token.accessors('none', FIRST), null);
    assert.equal(
      await actors.token.createSecretId({ role: 'none', digest: 'x', accessor: 'x', ttlSeconds: 0, numUses: 0, boundCidrs: [], tokenBoundCidrs: [] }, root),
      false,
    );
    await actors.token.revokeTokens('web', root);
  });

  on('of many logins at once a secret id admits as many as it has uses, and is exhausted then', async () => {
    const { digest } = await newSecretId('web', 2);
    const logins = await Promise.all(Array.from({ length: 8 }, () => logIn('web', digest)));
    const count = (wanted: string) => logins.filter(({ outcome: how }) => how === wanted).length;
    assert.deepEqual([count('issued'), count('exhausted')], [2, 6]);
    assert.equal((await logIn('web', digest)).outcome, 'exhausted');
    assert.equal(await actors.token.revokeTokens('web', root), true);
    for (const { digest: token } of logins) assert.equal(await actors.token.look(token, SOURCE), null);
  });

  on('of many logins at once as many get tokens as there is room for, and each other is refused by the quota', async () => {
    const { digest: secretDigest } = await newSecretId('api');
    const roleId = (await actors.token.role('api'))?.roleId as string;
    const logins = Array.from({ length: 12 }, () => ({ ...newToken(), roleId, secretDigest }));
    const outcomes = await Promise.all(logins.map((login) => outcome(actors.token.loginRole(login))));
    const refused = outcomes.filter((each) => each === 'AUTH_QUOTA_EXCEEDED');
    const found = await Promise.all(logins.map(({ digest }) => actors.token.look(digest, SOURCE)));
    assert.deepEqual([refused.length, found.filter((token) => token !== null).length], [12 - QUOTAS.tokens_per_identity, QUOTAS.tokens_per_identity]);
    assert.equal(await actors.token.revokeTokens('api', root), true);
    for (const { digest } of logins) assert.equal(await actors.token.look(digest, SOURCE), null);
  });

  on('tokens and secret ids of a role are ended a part at a time, the oldest first, and a role goes last', async () => {
    for (const kind of ['approle', 'cluster'] as const) {
      const name = `many-${kind}`;
      if (kind === 'approle') await actors.token.putRole(name, ROLE, root);
      else await actors.token.putClusterRole(name, CLUSTER, root);
      const revoke = () => (kind === 'approle' ? actors.token.revokeTokens(name, root) : actors.token.revokeClusterTokens(name, root));
      const remove = () => (kind === 'approle' ? actors.token.deleteRole(name, root) : actors.token.deleteClusterRole(name, root));
      const isThere = async () => (kind === 'approle' ? await actors.token.role(name) : await actors.token.clusterRole(name)) !== null;
      await fillTokens(kind, name);
      assert.ok(await actors.token.look(`${name} 1`, SOURCE));
      assert.deepEqual([await revoke(), await actors.token.look(`${name} 1`, SOURCE)], [false, null]);
      assert.ok(await actors.token.look(`${name} 1100`, SOURCE));
      assert.deepEqual([await revoke(), await revoke(), await revoke()], [false, true, true]);
      assert.equal(await actors.token.look(`${name} 1100`, SOURCE), null);
      await fillTokens(kind, name);
      if (kind === 'approle') {
        await fillSecretIds(name);
        assert.deepEqual([await remove(), await remove()], [false, false]);
      }
      assert.deepEqual([await remove(), await remove(), await isThere()], [false, false, true]);
      assert.ok(await actors.token.look(`${name} 1100`, SOURCE));
      assert.deepEqual([await remove(), await isThere(), await remove()], [true, false, true]);
      assert.equal(await actors.token.look(`${name} 1100`, SOURCE), null);
    }
  });

  on('a secret id is destroyed under its own role only', async () => {
    const { digest, accessor } = await newSecretId('api');
    await actors.token.destroySecretId('web', accessor, root);
    assert.equal((await logIn('api', digest)).outcome, 'issued');
    await actors.token.destroySecretId('api', accessor, root);
    assert.equal((await logIn('api', digest)).outcome, 'denied');
    assert.equal(await actors.token.revokeTokens('api', root), true);
    assert.equal(await actors.token.revokeTokens('none', root), null);
  });

  on('a token lives for its lease, a renewal prolongs it to its maximum, and some cannot be renewed', async () => {
    const { digest: secret } = await newSecretId('web');
    const login = await logIn('web', secret);
    const token = issued(login);
    assert.deepEqual([token.ttlSeconds, token.leaseSeconds, token.maxTtlSeconds, token.renewable], [600, 600, 1_000, true]);
    assert.deepEqual([token.kind, token.role, token.entity, token.policies], ['approle', 'web', 'web', ['sessions:read:r']]);
    await actors.runtime.advance(500_000);
    const renewed = await actors.token.renew(login.digest, SOURCE, true);
    assert.ok(renewed !== null && renewed !== 'fixed');
    assert.ok(renewed.ttlSeconds > 490 && renewed.ttlSeconds <= 500, `${renewed.ttlSeconds} s up to the maximum`);
    await actors.runtime.advance(499_000);
    assert.ok(await actors.token.look(login.digest, SOURCE));
    await actors.runtime.advance(1_001);
    assert.equal(await actors.token.look(login.digest, SOURCE), null);
    assert.equal(await actors.token.renew(login.digest, SOURCE, true), null);
    assert.equal(await actors.token.revoke(login.digest, SOURCE), false);
    await actors.token.putRole('web', { ...ROLE, tokenRenewable: false }, root);
    const fixed = await logIn('web', (await newSecretId('web')).digest);
    assert.equal(await actors.token.renew(fixed.digest, SOURCE, true), 'fixed');
    assert.equal(await actors.token.revoke(fixed.digest, SOURCE), true);
    assert.equal(await actors.token.revoke(fixed.digest, SOURCE), false);
    await actors.token.putRole('web', ROLE, root);
  });

  on('a cluster login counts for one revision of its role, and each service account is somebody', async () => {
    await actors.token.putClusterRole('shop', CLUSTER, root);
    const first = (await actors.token.clusterRole('shop')) ?? assert.fail();
    const logInAs = (entity: string, revision: string) => actors.token.loginCluster({ ...newToken(), role: 'shop', revision, entity });
    const [one, two] = [issued(await logInAs('shop/pay', first.revision)), issued(await logInAs('shop/ship', first.revision))];
    assert.notEqual(one.account, two.account);
    assert.equal(one.entity, 'shop/pay');
    await actors.token.putClusterRole('shop', { ...CLUSTER, serviceAccountNames: ['ship'] }, root);
    const second = (await actors.token.clusterRole('shop')) ?? assert.fail();
    assert.notEqual(second.revision, first.revision);
    assert.equal((await logInAs('shop/pay', first.revision)).outcome, 'denied');
    assert.equal(issued(await logInAs('shop/pay', second.revision)).account, one.account);
    assert.deepEqual(itemsOf(await actors.token.clusterRoles(FIRST)), ['shop']);
    assert.equal((await actors.token.loginCluster({ ...newToken(), role: 'none', revision: 'x', entity: 'a/b' })).outcome, 'denied');
    await actors.token.deleteClusterRole('shop', root);
    assert.equal(await actors.token.clusterRole('shop'), null);
    await actors.token.putClusterRole('shop', CLUSTER, root);
    const third = (await actors.token.clusterRole('shop')) ?? assert.fail();
    assert.notEqual(issued(await logInAs('shop/pay', third.revision)).account, one.account);
  });

  on('quotas refuse by name, and a refused token is not there', async () => {
    await actors.token.putRole('many', ROLE, root);
    const { digest } = await newSecretId('many');
    for (let at = 0; at < QUOTAS.tokens_per_identity; at++) issued(await logIn('many', digest));
    const token = newToken();
    const roleId = (await actors.token.role('many'))?.roleId as string;
    assert.equal(await outcome(actors.token.loginRole({ ...token, roleId, secretDigest: digest })), 'AUTH_QUOTA_EXCEEDED');
    assert.equal(await actors.token.look(token.digest, SOURCE), null);
    for (let at = 1; at < QUOTAS.secret_ids_per_role; at++) await newSecretId('many');
    assert.equal(await outcome(newSecretId('many')), 'AUTH_QUOTA_EXCEEDED');
  });

  on('a deleted role takes its tokens and secret ids; one of the same name is somebody else', async () => {
    const login = await logIn('web', (await newSecretId('web')).digest);
    const secret = await newSecretId('web');
    assert.equal(await actors.token.deleteRole('web', root), true);
    assert.equal(await actors.token.look(login.digest, SOURCE), null);
    await actors.token.putRole('web', ROLE, root);
    assert.equal((await logIn('web', secret.digest)).outcome, 'denied');
    assert.notEqual(issued(await logIn('web', (await newSecretId('web')).digest)).account, issued(login).account);
  });

  on('what is over is removed every minute; what lives survives a stop and a crash', async () => {
    const { digest: secret } = await newSecretId('web');
    const login = await logIn('web', secret);
    for (const cell of actors.runtime.groups.get('token')?.supervisors ?? []) await cell.incarnation?.kill();
    assert.equal((await actors.token.look(login.digest, SOURCE))?.accessor, login.accessor);
    const { url } = actors;
    await actors.stop();
    actors = await startAuthActors(database, url);
    assert.equal((await actors.token.look(login.digest, SOURCE))?.accessor, login.accessor);
    await actors.runtime.advance(2_000_000);
    const rows = async () => (await actors.store.get<{ n: number }>('SELECT COUNT(*) AS n FROM app_token WHERE expires_at <> 0'))?.n;
    for (let tries = 0; (await rows()) !== 0 && tries < 200; tries++) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(await rows(), 0);
  });

  on('every change and every login is a row of the audit log, with the accessor and never the digest', async () => {
    await actors.token.record({ event: 'cluster.login', outcome: 'refused', actor: 'made up', scheme: 'token', source: SOURCE, reason: 'a test' });
    const rows = await actors.store.all<{ event: string; outcome: string }>('SELECT DISTINCT event, outcome FROM audit');
    const told = new Set(rows.map(({ event, outcome: how }) => `${event} ${how}`));
    const events = ['approle.put', 'approle.login', 'cluster.login', 'secret_id.create', 'secret_id.use', 'secret_id.destroy', 'token.renew', 'token.revoke'];
    for (const event of events) assert.ok(told.has(`${event} success`), `${event} in ${[...told]}`);
    for (const event of ['approle.login', 'cluster.login']) assert.ok(told.has(`${event} refused`), event);
    const made = await actors.store.get("SELECT event FROM audit WHERE actor = 'made up' AND reason = 'a test'");
    assert.ok(made);
  });

  on('stops', () => actors.stop());
}

test.run();
