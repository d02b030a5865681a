// The directory actor, called as the front calls it: first start, realms, credentials, admins, locks, codes and signatures, with refusals, races and restarts, on each database.
import assert from 'node:assert/strict';
import { Secret, TOTP } from 'otpauth';
import { test } from 'uvu';
import type { AdminRecord, Principal } from '../../../actors/directory/api.ts';
import { outcome, until } from '../../runtime.ts';
import { testDatabases } from '../../stores.ts';
import { type AuthActors, credential, itemsOf, LOCKOUT, newSession, PHC, QUOTAS, realm, SOURCE, startAuthActors } from '../auth-actors.ts';

const databases = await testDatabases();
test.after(async () => {
  for (const database of databases) await database.stop();
});

const FIRST = { after: undefined, limit: 100 };
const ELSEWHERE = '198.51.100.7';
const record = (id: string, realms: readonly string[], more: Partial<AdminRecord> = {}): AdminRecord => ({
  ...{ id, realms, userpass: id, jwt: null, fido2: null, digital_credentials: null, client_certificate: null, ...more },
});

for (const database of databases) {
  let actors: AuthActors;
  let root: Principal;
  const on = (title: string, run: () => Promise<void>) => test(`${database.dialect}: ${title}`, run);
  const directory = () => actors.directory;
  const failed = (realmId: string, username: string, source: string, factor: 'password' | 'totp' = 'password') =>
    directory().refuse({ event: 'login', outcome: 'refused', realm: realmId, actor: username, source }, factor, username, source);
  const lockedFor = async (username: string, source: string) => (await directory().findSignIn('r', username, source)).locked;

  on('the first start makes realm _ and its admin once, however many ask for it', async () => {
    actors = await startAuthActors(database);
    assert.equal(await directory().isEmpty(), true);
    const first = { username: 'admin', passwordHash: PHC };
    const made = await Promise.all(Array.from({ length: 5 }, () => directory().firstStart(first)));
    assert.equal(made.filter(Boolean).length, 1);
    assert.equal(await directory().isEmpty(), false);
    assert.deepEqual([await directory().initialPasswordHash('admin'), await directory().initialPasswordHash('nobody')], [PHC, null]);
    root = await actors.by('_', 'admin');
    assert.deepEqual(await directory().administered(root), ['_']);
  });

  on('realms are made, replaced and deleted by super admins only', async () => {
    assert.deepEqual(await directory().createRealm(realm('r'), root), realm('r'));
    assert.equal(await outcome(directory().createRealm(realm('r'), root)), 'AUTH_EXISTS');
    const changed = { ...realm('r'), session_max_age_seconds: 7_200 };
    assert.deepEqual(await directory().updateRealm(changed, root), changed);
    assert.deepEqual(await directory().getRealm('r'), changed);
    assert.equal(await directory().updateRealm(realm('none'), root), null);
    assert.equal(await directory().getRealm('none'), null);
    for (const id of ['s', 'gone']) await directory().createRealm(realm(id), root);
    assert.deepEqual(
      itemsOf(await directory().listRealms(null, FIRST)).map((each) => (each as { id: string }).id),
      ['_', 'gone', 'r', 's'],
    );
    assert.deepEqual(
      itemsOf(await directory().listRealms(['s', 'none'], FIRST)).map((each) => (each as { id: string }).id),
      ['s'],
    );
    const stranger = await actors.by('r', 'ann');
    const refused = [directory().createRealm(realm('x'), stranger), directory().updateRealm(realm('r'), stranger), directory().deleteRealm('r', stranger)];
    for (const call of refused) assert.equal(await outcome(call), 'FORBIDDEN');
    assert.equal(await outcome(directory().deleteRealm('_', root)), 'AUTH_LAST_SUPER_ADMIN');
    assert.deepEqual(await directory().getRealm('r'), changed);
  });

  on('credentials belong to a realm, are unique in it, and have a quota', async () => {
    const made = await directory().createCredential(credential('r', 'ann'), root);
    assert.deepEqual(made, { realm: 'r', username: 'ann', password_hash: '', change_password: false, roles: ['reader'], extra_claims: null });
    assert.deepEqual(await directory().getCredential('r', 'ann'), made);
    assert.equal(await outcome(directory().createCredential(credential('r', 'ann'), root)), 'AUTH_EXISTS');
    assert.equal(await directory().createCredential(credential('none', 'ann'), root), null);
    assert.equal(await directory().getCredential('s', 'ann'), null);
    for (let at = 0; at < QUOTAS.credentials_per_realm; at++) await directory().createCredential(credential('gone', `u${at}`), root);
    assert.equal(await outcome(directory().createCredential(credential('gone', 'one more'), root)), 'AUTH_QUOTA_EXCEEDED');
    assert.equal(await directory().getCredential('gone', 'one more'), null);
    assert.equal((await directory().listCredentials('gone', FIRST)).count, QUOTAS.credentials_per_realm);
    const page = await directory().listCredentials(null, { after: undefined, limit: 3 });
    assert.equal(page.count, 3);
    const rest = await directory().listCredentials(null, { after: page.next as string, limit: 100 });
    assert.equal(rest.count, QUOTAS.credentials_per_realm + 2 - 3);
  });

  on('the admin of a realm changes what is in it, and nothing elsewhere', async () => {
    for (const name of ['boss', 'bob']) await directory().createCredential(credential('r', name), root);
    await directory().createAdmin(record('boss', ['r']), root);
    const boss = await actors.by('r', 'boss');
    assert.deepEqual(await directory().administered(boss), ['r']);
    assert.ok(await directory().updateCredential({ ...credential('r', 'bob'), roles: ['writer'], comparedWith: null }, boss));
    const refused = [
      directory().createCredential(credential('s', 'eve'), boss),
      directory().updateCredential({ ...credential('_', 'admin'), comparedWith: null }, boss),
      directory().deleteCredential('_', 'admin', boss),
      directory().unlock('s', 'eve', boss),
      directory().createAdmin(record('eve', ['r', 's']), boss),
      directory().createAdmin(record('eve', []), boss),
      directory().addAdminRealm('boss', '_', boss),
      directory().deleteRealm('r', boss),
    ];
    for (const call of refused) assert.equal(await outcome(call), 'FORBIDDEN');
    assert.equal(await directory().getAdmin('eve'), null);
    // The same name in another realm is nobody.
    await directory().createCredential(credential('s', 'boss'), root);
    assert.deepEqual(await directory().administered(await actors.by('s', 'boss')), []);
  });

  on('admin records: each change is whole, and unknown realms and names are told apart', async () => {
    assert.equal(await outcome(directory().createAdmin(record('boss', ['r']), root)), 'AUTH_EXISTS');
    assert.equal(await outcome(directory().createAdmin(record('new', ['r', 'none']), root)), 'BAD_REQUEST');
    assert.equal(await directory().getAdmin('new'), null);
    assert.deepEqual((await directory().addAdminRealm('boss', 's', root))?.realms, ['r', 's']);
    assert.equal(await directory().addAdminRealm('boss', 'none', root), null);
    assert.equal(await directory().addAdminRealm('none', 's', root), null);
    assert.deepEqual((await directory().removeAdminRealm('boss', 's', root))?.realms, ['r']);
    assert.equal(await directory().updateAdmin(record('none', ['r']), root), null);
    const both = await Promise.all([directory().addAdminRealm('boss', 's', root), directory().addAdminRealm('boss', 'gone', root)]);
    assert.ok(both.every(Boolean));
    assert.deepEqual((await directory().getAdmin('boss'))?.realms, ['gone', 'r', 's']);
    const bound = async () =>
      (await actors.store.all<{ realm: string }>("SELECT realm FROM admin_account WHERE admin = 'boss' ORDER BY realm")).map(({ realm: of }) => of);
    assert.deepEqual(await bound(), ['_', 'gone', 'r', 's']);
    assert.ok(await directory().addAdminRealm('boss', '_', root));
    for (const id of ['_', 'gone']) assert.ok(await directory().removeAdminRealm('boss', id, root));
    // An account in `_` has the rights of all realms of a record, whether or not `_` is one of them.
    assert.deepEqual(await bound(), ['_', 'r', 's']);
    assert.ok(await directory().addAdminRealm('boss', 'gone', root));
    for (let at = 1; at < QUOTAS.admins_per_realm; at++) await directory().createAdmin(record(`admin ${at}`, ['s']), root);
    assert.equal(await outcome(directory().createAdmin(record('one more', ['s']), root)), 'AUTH_QUOTA_EXCEEDED');
    assert.equal((await directory().listAdmins(FIRST)).count, 2 + QUOTAS.admins_per_realm - 1);
  });

  on('the last super admin keeps a way in, whatever is changed', async () => {
    const changes = [
      directory().deleteCredential('_', 'admin', root),
      directory().deleteAdmin('admin', root),
      directory().removeAdminRealm('admin', '_', root),
      directory().updateAdmin(record('admin', ['_'], { userpass: null }), root),
      directory().updateRealm({ ...realm('_'), auth_params: { username_password_params: { enabled: false } } }, root),
    ];
    for (const change of changes) assert.equal(await outcome(change), 'AUTH_LAST_SUPER_ADMIN');
    assert.deepEqual((await directory().getAdmin('admin'))?.realms, ['_']);
    assert.ok(await directory().getCredential('_', 'admin'));
    assert.equal(await directory().opensTo({ realm: '_', username: 'admin', scheme: 'up' }), true);
    for (const other of [
      { username: 'ann', scheme: 'up' },
      { username: 'admin', scheme: 'jwt' },
    ])
      assert.equal(await directory().opensTo({ realm: '_', ...other }), false);
  });

  on('a change that was compared with an older password is overtaken; a new password or role ends sessions', async () => {
    const revision = async () => (await directory().findSignIn('r', 'bob', SOURCE)).credential?.revision as number;
    const before = await revision();
    const session = await newSession(actors, 'r', 'bob');
    const lives = async () => (await actors.session(session.id).look(session.id, false)) !== null;
    assert.equal(await actors.session(session.id).create(session), true);
    const same = { ...credential('r', 'bob'), roles: ['writer'], passwordHash: null };
    const updates = await Promise.all([
      directory().updateCredential({ ...same, comparedWith: before }, root),
      directory().updateCredential({ ...same, comparedWith: before }, root),
    ]);
    assert.equal(updates.filter((each) => each === 'overtaken').length, 1);
    assert.equal(await lives(), true);
    assert.equal(await directory().updateCredential({ ...same, username: 'nobody', comparedWith: null }, root), null);
    await directory().updateCredential({ ...same, roles: [], comparedWith: await revision() }, root);
    assert.equal(await lives(), false);
  });

  on('failures lock their address, then all but known ones; time and an administrator unlock', async () => {
    const { revision = 0 } = (await directory().findSignIn('r', 'ann', SOURCE)).credential ?? {};
    const proven = { realm: 'r', username: 'ann', source: SOURCE, revision, code: null, passwordHash: null };
    assert.deepEqual(await directory().complete(proven), { revision, roles: ['reader'], extraClaims: {} });
    for (let at = 0; at < LOCKOUT.failures; at++) {
      assert.deepEqual(await lockedFor('ann', ELSEWHERE), []);
      await failed('r', 'ann', ELSEWHERE);
    }
    assert.deepEqual(await lockedFor('ann', ELSEWHERE), ['password']);
    assert.deepEqual(await lockedFor('ann', '203.0.113.9'), []);
    assert.equal(await directory().complete({ ...proven, source: ELSEWHERE }), null);
    assert.equal(await directory().interrupt({ ...proven, source: ELSEWHERE }, { event: 'login', outcome: 'refused' }), false);
    for (let at = 0; at < LOCKOUT.failuresAllSources - LOCKOUT.failures; at++) await failed('r', 'ann', `203.0.113.${at}`);
    assert.deepEqual(await lockedFor('ann', '203.0.113.99'), ['password']);
    assert.deepEqual(await lockedFor('ann', SOURCE), [], 'she has signed in from there');
    assert.equal(await directory().unlock('r', 'nobody', root), false);
    assert.equal(await directory().unlock('r', 'ann', root), true);
    assert.deepEqual(await lockedFor('ann', ELSEWHERE), []);
    // A failure at a known address neither shortens nor prolongs the lock of all other addresses.
    await failed('r', 'ann', '203.0.113.0');
    await actors.runtime.advance(LOCKOUT.windowMs - 100_000);
    for (let at = 1; at < LOCKOUT.failuresAllSources; at++) await failed('r', 'ann', `203.0.113.${at}`);
    await actors.runtime.advance(100_001);
    await failed('r', 'ann', SOURCE);
    assert.deepEqual(await lockedFor('ann', '203.0.113.99'), ['password']);
    await actors.runtime.advance(LOCKOUT.lockMs - 100_000);
    assert.deepEqual(await lockedFor('ann', '203.0.113.99'), []);
    assert.equal(await directory().unlock('r', 'ann', root), true);
    for (let at = 0; at < LOCKOUT.failures; at++) await failed('r', 'ann', ELSEWHERE);
    await actors.runtime.advance(LOCKOUT.lockMs - 2_000);
    assert.deepEqual(await lockedFor('ann', ELSEWHERE), ['password']);
    await actors.runtime.advance(2_001);
    assert.deepEqual(await lockedFor('ann', ELSEWHERE), []);
    for (let at = 0; at < 2 * LOCKOUT.failuresAllSources; at++) await failed('r', 'nobody', ELSEWHERE);
    const nobody = await directory().findSignIn('r', 'nobody', SOURCE);
    assert.deepEqual([nobody.credential, nobody.nobody?.passwordHash.length], [null, 97]);
  });

  const secret = new Secret({ size: 20 }).base32;
  const codeAt = (ms: number) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: ms });
  const loginOf = async (username: string, code: string | null, passwordHash: string | null = null, of = 'r') => {
    const view = await directory().findSignIn(of, username, SOURCE);
    return { realm: of, username, source: SOURCE, revision: view.credential?.revision ?? 0, code, passwordHash };
  };

  on('a second factor needs a valid code to come, proof to go, and a code signs in once', async () => {
    const ann = await actors.by('r', 'ann');
    const enrolment = { realm: 'r', username: 'ann', secret, code: codeAt(actors.clock.now()), currentCode: undefined };
    assert.equal(await directory().enableTotp({ ...enrolment, code: '000000' === enrolment.code ? '000001' : '000000' }, ann), 'code-invalid');
    assert.equal(await outcome(directory().enableTotp(enrolment, await actors.by('r', 'bob'))), 'FORBIDDEN');
    assert.equal(await directory().enableTotp({ ...enrolment, username: 'nobody' }, root), 'missing');
    assert.equal(await directory().enableTotp(enrolment, ann), 'done');
    assert.equal((await directory().findSignIn('r', 'ann', SOURCE)).credential?.totp, true);
    await actors.runtime.advance(90_000);
    const code = codeAt(actors.clock.now());
    assert.equal(await directory().checkTotp('r', 'ann', code), true);
    assert.equal(await directory().checkTotp('r', 'bob', code), false);
    assert.equal(await directory().complete(await loginOf('ann', null)), null);
    const login = await loginOf('ann', code);
    const ends = await Promise.all(Array.from({ length: 4 }, () => directory().complete(login)));
    assert.equal(ends.filter((each) => each !== null).length, 1);
    assert.equal(await directory().checkTotp('r', 'ann', code), false);
    assert.equal(await directory().disableTotp('r', 'ann', code, ann), 'unproven');
    assert.equal(await directory().disableTotp('r', 'bob', undefined, root), 'missing');
    await actors.runtime.advance(90_000);
  });

  on('a new password comes with the login or not at all, and ends the sessions', async () => {
    const session = await newSession(actors, 'r', 'ann');
    assert.equal(await actors.session(session.id).create(session), true);
    const stale = await loginOf('ann', codeAt(actors.clock.now()), `${PHC}x`);
    assert.equal(await directory().complete({ ...stale, revision: stale.revision + 1 }), null);
    assert.equal((await directory().findSignIn('r', 'ann', SOURCE)).credential?.passwordHash, PHC);
    const completed = await directory().complete(stale);
    assert.equal(completed?.revision, stale.revision + 1);
    assert.equal((await directory().findSignIn('r', 'ann', SOURCE)).credential?.passwordHash, `${PHC}x`);
    assert.equal(await actors.session(session.id).look(session.id, false), null);
    assert.equal(await directory().complete({ ...stale, code: codeAt(actors.clock.now() + 30_000) }), null);
  });

  on('keys of signatures and second factors are the same after a stop and a crash', async () => {
    const keys = await directory().publicKeys('session');
    const jws = await directory().sign('session', { sub: 'ann' });
    const header = JSON.parse(Buffer.from(jws.split('.')[0] as string, 'base64url').toString()) as { alg: string; kid: string };
    assert.equal(header.alg, 'ES256');
    assert.ok(keys.some((key) => key['kid'] === header.kid));
    assert.ok(keys.every((key) => !('d' in key)));
    assert.notDeepEqual(await directory().publicKeys('certificate'), keys);
    for (const cell of actors.runtime.groups.get('directory')?.supervisors ?? []) await cell.incarnation?.kill();
    assert.deepEqual(await directory().publicKeys('session'), keys);
    const { url } = actors;
    const now = actors.clock.now();
    await actors.stop();
    actors = await startAuthActors(database, url);
    await actors.runtime.advance(now - actors.clock.now() + 90_000);
    assert.deepEqual(await directory().publicKeys('session'), keys);
    assert.equal(await directory().checkTotp('r', 'ann', codeAt(actors.clock.now())), true);
    assert.equal(await directory().disableTotp('r', 'ann', codeAt(actors.clock.now()), await actors.by('r', 'ann')), 'done');
  });

  on('whatever ends sessions also ends those that are in memory, at once', async () => {
    const begin = async (of: string, username: string) => {
      const session = await newSession(actors, of, username);
      assert.equal(await actors.session(session.id).create(session), true);
      return async () => (await actors.session(session.id).look(session.id, false)) !== null;
    };
    const code = () => codeAt(actors.clock.now());
    const update = { ...credential('t', 'eve'), passwordHash: null, comparedWith: null };
    await directory().createRealm(realm('t'), root);
    for (const name of ['eve', 'fay']) await directory().createCredential(credential('t', name), root);
    await directory().createAdmin(record('fay', ['t']), root);
    await directory().enableTotp({ realm: 't', username: 'eve', secret, code: code(), currentCode: undefined }, root);
    const changes: readonly (readonly [realm: string, username: string, change: () => Promise<unknown>])[] = [
      ['t', 'eve', () => directory().updateCredential({ ...update, roles: ['writer'] }, root)],
      ['t', 'eve', () => directory().updateCredential({ ...update, roles: ['writer'], extra_claims: { team: 'x' } }, root)],
      ['t', 'eve', () => directory().disableTotp('t', 'eve', undefined, root)],
      ['t', 'eve', async () => directory().complete(await loginOf('eve', null, PHC, 't'))],
      ['t', 'eve', () => directory().deleteCredential('t', 'eve', root)],
      ['t', 'fay', () => directory().deleteAdmin('fay', root)],
      ['_', 'admin', () => directory().resetAdmin({ username: 'admin', passwordHash: PHC })],
      ['t', 'gil', () => directory().deleteRealm('t', root)],
    ];
    await directory().createCredential(credential('t', 'gil'), root);
    for (const [of, username, change] of changes) {
      const lives = await begin(of, username);
      assert.equal(await lives(), true);
      await change();
      assert.equal(await lives(), false, String(change));
    }
  });

  on('a deleted realm or credential takes its sessions, and who has the name next is somebody else', async () => {
    const [ann, boss] = [await actors.by('r', 'ann'), await actors.by('r', 'boss')];
    const session = await newSession(actors, 'r', 'ann');
    assert.equal(await actors.session(session.id).create(session), true);
    await directory().deleteCredential('r', 'ann', root);
    assert.equal(await actors.session(session.id).look(session.id, false), null);
    assert.equal(await directory().complete(await loginOf('ann', null)), null);
    await directory().createCredential(credential('r', 'ann'), root);
    assert.notEqual((await actors.by('r', 'ann')).account, ann.account);
    // A request of the first one, whose body came late.
    const late = { realm: 'r', username: 'ann', secret, code: codeAt(actors.clock.now()), currentCode: undefined };
    assert.equal(await outcome(directory().enableTotp(late, ann)), 'FORBIDDEN');
    const next = await newSession(actors, 'r', 'ann');
    assert.equal(await actors.session(next.id).create(next), true);
    assert.equal(await outcome(actors.session(next.id).end([next.id], ann)), 'FORBIDDEN');
    assert.equal(await actors.session(next.id).end([next.id], await actors.by('r', 'ann')), 1);
    await directory().deleteRealm('r', root);
    assert.equal(await directory().getCredential('r', 'boss'), null);
    await directory().createRealm(realm('r'), root);
    await directory().createCredential(credential('r', 'boss'), root);
    assert.deepEqual(await directory().administered(await actors.by('r', 'boss')), []);
    assert.deepEqual(await directory().administered(boss), []);
  });

  on('a realm with many credentials is deleted a part at a time, each with all that is theirs', async () => {
    await directory().createRealm(realm('many'), root);
    await directory().createCredential(credential('many', 'ann'), root);
    const ann = await actors.by('many', 'ann');
    const session = await newSession(actors, 'many', 'ann');
    assert.equal(await actors.session(session.id).create(session), true);
    assert.ok(await actors.session(session.id).look(session.id, false));
    // Behind her in order.
    const numbers = 'WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1100)';
    const users = `INSERT INTO userpass (realm, username, password_hash, change_password, roles, password_set_at, revision) ${numbers}
      SELECT 'many', 'b' || n, '', 0, '[]', 1, 1 FROM numbers`;
    await actors.store.transaction((tx) => tx.run(users));
    const left = async () => (await actors.store.get<{ n: number }>("SELECT COUNT(*) AS n FROM userpass WHERE realm = 'many'"))?.n as number;
    assert.equal(await directory().deleteRealm('many', root), false);
    assert.ok((await left()) > 0 && (await left()) < 1_000, String(await left()));
    assert.equal(await actors.session(session.id).look(session.id, false), null);
    assert.equal((await directory().getRealm('many'))?.id, 'many');
    assert.ok(await actors.store.get('SELECT id FROM account WHERE id = $1 AND ended_at IS NOT NULL', [ann.account]));
    assert.deepEqual([await directory().deleteRealm('many', root), await directory().deleteRealm('many', root)], [false, true]);
    assert.deepEqual([await left(), await directory().getRealm('many'), await directory().deleteRealm('many', root)], [0, null, true]);
  });

  on('a reset gives the admin the initial password again, and rights', async () => {
    const reset = `${PHC}reset`;
    await directory().updateCredential({ ...credential('_', 'admin'), comparedWith: null }, root);
    assert.equal(await directory().initialPasswordHash('admin'), null);
    for (let at = 0; at < LOCKOUT.failures; at++) await failed('_', 'admin', SOURCE);
    await directory().resetAdmin({ username: 'admin', passwordHash: reset });
    const view = await directory().findSignIn('_', 'admin', SOURCE);
    assert.deepEqual([view.credential?.passwordHash, view.credential?.changePassword, view.locked, view.opens], [reset, true, [], true]);
    assert.equal(await directory().initialPasswordHash('admin'), reset);
    assert.deepEqual(await directory().administered(await actors.by('_', 'admin')), ['_']);
  });

  on('the audit log is read by event and actor, page by page', async () => {
    const query = { realm: undefined, event: 'credential.create', actor: undefined, after: undefined, limit: 5 };
    const first = await directory().audit(query);
    assert.equal(first.count, 5);
    const second = await directory().audit({ ...query, after: first.next as string, limit: 100 });
    assert.equal(second.next, null);
    const all = [...itemsOf(first), ...itemsOf(second)];
    const rows = await actors.store.get<{ n: number }>("SELECT COUNT(*) AS n FROM audit WHERE event = 'credential.create'");
    assert.equal(all.length, rows?.n);
    assert.equal(new Set(all.map((row) => JSON.stringify(row))).size, all.length);
    assert.equal((await directory().audit({ ...query, actor: 'nobody at all' })).count, 0);
    const gone = itemsOf(await directory().audit({ ...query, realm: 'gone', limit: 100 })) as { realm: string }[];
    assert.ok(gone.length > 0 && gone.every((row) => row.realm === 'gone'));
    await directory().record({ event: 'login', outcome: 'refused', realm: 'r', actor: 'made up', source: SOURCE });
    assert.equal((await directory().audit({ ...query, event: undefined, actor: 'made up' })).count, 1);
  });

  on('signing keys rotate, and an old one is published until nothing that it signed can be valid', async () => {
    const day = 86_400_000;
    const kids = async () => (await directory().publicKeys('certificate')).map(({ kid }) => kid as string);
    const signer = async (exp: number) => {
      const [header = ''] = (await directory().sign('certificate', { exp: exp / 1000 })).split('.');
      return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }).kid;
    };
    const [old] = await kids();
    await actors.runtime.advance(89 * day);
    const end = actors.clock.now() + 10 * day;
    assert.deepEqual([await signer(end), await kids()], [old, [old]]);
    await actors.runtime.advance(2 * day);
    await until(async () => (await kids()).length === 2, 'a new key is made');
    const fresh = await signer(end);
    assert.notEqual(fresh, old);
    assert.deepEqual(await kids(), [fresh, old]);
    await actors.runtime.advance(8 * day + 1);
    assert.deepEqual(await kids(), [fresh, old], 'a day more than needed');
    await actors.runtime.advance(day);
    await until(async () => (await kids()).length === 1, 'the old key is gone');
    assert.deepEqual(await kids(), [fresh]);
  });

  on('stops', () => actors.stop());
}

test.run();
