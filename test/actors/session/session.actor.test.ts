// The session actor, called as the front calls it: sessions live, age, are refused and end, over two owners on each database.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { outcome } from '../../runtime.ts';
import { testDatabases } from '../../stores.ts';
import { type AuthActors, credential, firstAdmin, hashOf, newSession, QUOTAS, realm, SOURCE, startAuthActors } from '../auth-actors.ts';

const databases = await testDatabases();
test.after(async () => {
  for (const database of databases) await database.stop();
});

for (const database of databases) {
  let actors: AuthActors;
  const on = (title: string, run: () => Promise<void>) => test(`${database.dialect}: ${title}`, run);

  on('starts', async () => {
    actors = await startAuthActors(database);
    const root = await firstAdmin(actors);
    for (const id of ['r', 'other', 'full']) await actors.directory.createRealm(realm(id), root);
    for (const name of ['ann', 'bob', 'cyd', 'dan']) assert.ok(await actors.directory.createCredential(credential('r', name), root));
    assert.ok(await actors.directory.createCredential(credential('other', 'ann'), root));
  });

  const begin = async (username: string, more = {}) => {
    const session = await newSession(actors, 'r', username, more);
    assert.equal(await actors.session(session.id).create(session), true);
    return session;
  };
  const lives = async (id: string) => (await actors.session(id).look(id, false)) !== null;

  on('a session is found by its id and opened by its cookie only', async () => {
    const { id, cookieHash, jti } = await begin('ann', { roles: ['a', 'b'], extraClaims: { team: 'x' } });
    const view = await actors.session(id).authenticate(id, cookieHash);
    assert.equal(view?.username, 'ann');
    assert.equal(view?.account, (await actors.by('r', 'ann')).account);
    assert.deepEqual([view?.roles, view?.extraClaims, view?.jti], [['a', 'b'], { team: 'x' }, jti]);
    assert.equal(await actors.session(id).authenticate(id, hashOf('another')), null);
    assert.equal(await actors.session(id).look('00000000-0000-4000-8000-000000000000', true), null);
    const text = JSON.stringify(view);
    assert.ok(!text.includes('cookie'), text);
    await actors.session(id).end([id], await actors.by('r', 'ann'));
  });

  on('nothing begins for a credential that has changed, is gone, or a realm that is another one or lets users in otherwise', async () => {
    const session = await newSession(actors, 'r', 'ann');
    for (const wrong of [
      { revision: (session.revision as number) + 1 },
      { username: 'nobody' },
      { provenRealm: 'account:another' },
      { authParams: '{"totp_params":{"step":60}}' },
    ]) {
      const refused = { ...session, ...wrong };
      assert.equal(await actors.session(session.id).create(refused), false, JSON.stringify(wrong));
      assert.equal(await lives(session.id), false);
    }
    assert.equal(await actors.session(session.id).create(session), true);
    await actors.session(session.id).end([session.id], await actors.by('r', 'ann'));
  });

  on('it ends with its age and when it is idle; uses prolong it, the look of an admin does not', async () => {
    const [used, watched, old] = [await begin('ann'), await begin('ann'), await begin('ann', { maxAgeSeconds: 700 })];
    const times = 2;
    for (let time = 0; time < times; time++) {
      await actors.runtime.advance(400_000);
      assert.ok(await actors.session(used.id).authenticate(used.id, used.cookieHash));
      await actors.session(watched.id).look(watched.id, false);
      await actors.session(old.id).look(old.id, true);
    }
    assert.equal(await lives(used.id), true);
    assert.equal(await lives(watched.id), false);
    assert.equal(await lives(old.id), false);
    await actors.session(used.id).end([used.id], await actors.by('r', 'ann'));
  });

  on('the oldest session of an identity ends at its quota, whichever owner has it in memory', async () => {
    const sessions = [];
    for (let at = 0; at <= QUOTAS.sessions_per_identity; at++) {
      const session = await begin('bob');
      // Into the cache of its owner.
      assert.ok(await lives(session.id));
      sessions.push(session);
      await actors.runtime.advance(1_000);
    }
    const alive = await Promise.all(sessions.map(({ id }) => lives(id)));
    assert.deepEqual(alive, [false, true, true, true]);
    const ids = sessions.map(({ id }) => id);
    const bob = await actors.by('r', 'bob');
    // Each is asked of its owner.
    const ended = await Promise.all(ids.map((id) => actors.session(id).end([id], bob)));
    assert.deepEqual(ended, [0, 1, 1, 1]);
    assert.deepEqual(await Promise.all(ids.map(lives)), [false, false, false, false]);
  });

  on('a realm that is full refuses by name all but those who have as many as they may; what was refused is not there', async () => {
    const token = (name: string) => newSession(actors, 'full', name, { scheme: 'jwt', revision: null });
    const ann = QUOTAS.sessions_per_identity;
    const some = await Promise.all(Array.from({ length: QUOTAS.sessions_per_realm }, (_, at) => token(at < ann ? 'ann' : `user ${at}`)));
    for (const session of some) assert.equal(await actors.session(session.id).create(session), true);
    const tooMany = await token('one more');
    assert.equal(await outcome(actors.session(tooMany.id).create(tooMany)), 'AUTH_QUOTA_EXCEEDED');
    assert.equal(await lives(tooMany.id), false);
    const another = await token('ann');
    assert.equal(await actors.session(another.id).create(another), true);
    assert.equal(await lives(another.id), true);
    const left = await Promise.all(some.map(({ id }) => lives(id)));
    assert.deepEqual([left.slice(0, ann).filter(Boolean).length, left.slice(ann).every(Boolean)], [ann - 1, true]);
    const first = some[0];
    assert.equal(await actors.session('full').endRealm('full', await actors.by('_', 'admin')), true);
    assert.equal(await lives(first?.id as string), false);
    assert.equal(await actors.session(tooMany.id).create(tooMany), true);
  });

  on('one ends their own; of a list with a foreign one nothing ends, unless an admin asks', async () => {
    const [own, foreign] = [await begin('ann'), await begin('cyd')];
    const ann = await actors.by('r', 'ann');
    assert.equal(await outcome(actors.session(own.id).end([own.id, foreign.id], ann)), 'FORBIDDEN');
    assert.deepEqual([await lives(own.id), await lives(foreign.id)], [true, true]);
    for (const refused of [actors.session('r').endRealm('r', ann), actors.session('').purge(ann)]) assert.equal(await outcome(refused), 'FORBIDDEN');
    const namesake = { ...(await actors.by('other', 'ann')) };
    assert.equal(await outcome(actors.session(own.id).end([own.id], namesake)), 'FORBIDDEN');
    assert.equal(await actors.session(own.id).end([own.id, own.id], ann), 1);
    assert.equal(await actors.session(foreign.id).end([foreign.id], await actors.by('_', 'admin')), 1);
    assert.deepEqual([await lives(own.id), await lives(foreign.id)], [false, false]);
  });

  on('the sessions of a realm end a part at a time, also with the realm', async () => {
    const root = await actors.by('_', 'admin');
    await actors.directory.createRealm(realm('large'), root);
    const columns = 'cookie_hash, realm, scheme, created_at, seen_at, max_age_seconds, max_stale_age_seconds, claims, account, realm_account';
    const copies = `INSERT INTO session (id, username, ${columns})
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1100)
      SELECT 'number ' || n, 'zoe ' || n, ${columns} FROM numbers, session WHERE id = $1`;
    for (const end of [() => actors.session('large').endRealm('large', root), () => actors.directory.deleteRealm('large', root)]) {
      const first = await newSession(actors, 'large', 'ann', { scheme: 'jwt', revision: null });
      assert.equal(await actors.session(first.id).create(first), true);
      await actors.store.transaction((tx) => tx.run(copies, [first.id]));
      assert.deepEqual([await lives(first.id), await lives('number 1100')], [true, true]);
      assert.deepEqual([await end(), await lives(first.id)], [false, false]);
      assert.ok(await actors.directory.getRealm('large'));
      assert.deepEqual([await end(), await end(), await lives('number 1100')], [false, true, false]);
    }
    assert.equal(await actors.directory.getRealm('large'), null);
  });

  on('lists hold the live sessions of each client once, page by page', async () => {
    const made: string[] = [];
    for (const name of ['ann', 'ann', 'cyd']) {
      made.push((await begin(name)).id);
      await actors.runtime.advance(10);
    }
    const dead = await begin('cyd', { maxAgeSeconds: 60 });
    await actors.runtime.advance(60_000);
    const clients = ['ann', 'cyd', 'ann', 'dan'].map((username) => ({ username, scheme: 'up' }));
    const pages: string[][] = [];
    let after: string | undefined;
    do {
      const page = await actors.session('r').list('r', clients, { after, limit: 2 });
      pages.push([...page.items]);
      after = page.next ?? undefined;
    } while (after !== undefined);
    assert.deepEqual(pages.flat(), made);
    assert.ok(pages.every((page) => page.length <= 2));
    assert.ok(!pages.flat().includes(dead.id));
    assert.equal(await outcome(actors.session('r').list('r', clients, { after: 'no cursor', limit: 2 })), 'BAD_REQUEST');
    const others = await actors.session('r').list('other', clients, { after: undefined, limit: 9 });
    assert.deepEqual(others.items, []);
    assert.equal(await actors.session('r').endRealm('r', await actors.by('_', 'admin')), true);
    assert.deepEqual(await Promise.all(made.map(lives)), [false, false, false]);
  });

  on('a purge removes what is over and nothing else, and the use that a thread still remembers counts', async () => {
    const [over, used] = [await begin('ann'), await begin('bob')];
    await actors.runtime.advance(500_000);
    assert.ok(await actors.session(used.id).look(used.id, true));
    await actors.runtime.advance(200_000);
    const count = async () => (await actors.store.get<{ n: number }>("SELECT COUNT(*) AS n FROM session WHERE realm = 'r'"))?.n;
    await actors.session('').purge(await actors.by('_', 'admin'));
    await actors.session(used.id).purge(await actors.by('_', 'admin'));
    assert.equal(await count(), 1);
    assert.deepEqual([await lives(over.id), await lives(used.id)], [false, true]);
  });

  on('of a password change and sign-ins with the old one at the same time, no old session is left', async () => {
    const root = await actors.by('_', 'admin');
    const sessions = await Promise.all(Array.from({ length: 3 }, () => newSession(actors, 'r', 'dan')));
    const update = { ...credential('r', 'dan'), comparedWith: null };
    const [first, changed, ...more] = await Promise.all([
      actors.session(sessions[0]?.id as string).create(sessions[0] as (typeof sessions)[0]),
      actors.directory.updateCredential(update, root),
      ...sessions.slice(1).map((session) => actors.session(session.id).create(session)),
    ]);
    assert.ok(typeof first === 'boolean' && more.length === 2 && changed !== null);
    assert.deepEqual(await Promise.all(sessions.map(({ id }) => lives(id))), [false, false, false]);
    const again = await newSession(actors, 'r', 'dan');
    assert.equal(await actors.session(again.id).create(again), true);
  });

  on('sessions and their last use survive a stop, and a crash of their owner', async () => {
    const { id, cookieHash } = await begin('ann');
    await actors.runtime.advance(300_000);
    assert.ok(await actors.session(id).authenticate(id, cookieHash));
    const seen = async () => (await actors.store.get<{ seen_at: number }>('SELECT seen_at FROM session WHERE id = $1', [id]))?.seen_at as number;
    const usedAt = actors.clock.now();
    for (const cell of actors.runtime.groups.get('session')?.supervisors ?? []) await cell.incarnation?.kill();
    assert.ok(await actors.session(id).authenticate(id, cookieHash));
    const { url } = actors;
    await actors.stop();
    actors = await startAuthActors(database, url);
    assert.ok((await seen()) >= usedAt, 'the use was written at the stop');
    await actors.runtime.advance(usedAt - actors.clock.now() + 500_000);
    assert.equal((await actors.session(id).authenticate(id, cookieHash))?.username, 'ann');
  });

  on('every beginning, refusal and end is a row of the audit log', async () => {
    const rows = await actors.store.all<{ event: string; outcome: string; n: number }>(
      "SELECT event, outcome, COUNT(*) AS n FROM audit WHERE event LIKE 'session.%' OR event = 'login' GROUP BY event, outcome",
    );
    const told = new Set(rows.map(({ event, outcome: how }) => `${event} ${how}`));
    for (const expected of ['login success', 'login refused', 'session.end success', 'session.end_realm success', 'session.purge success'])
      assert.ok(told.has(expected), `${expected} in ${[...told]}`);
    const own = await actors.store.get<{ source: string }>("SELECT source FROM audit WHERE event = 'session.end' LIMIT 1");
    assert.equal(own?.source, SOURCE);
  });

  on('stops', () => actors.stop());
}

test.run();
