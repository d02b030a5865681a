// The idle limit to the second: what was used lives, what was not is absent everywhere at once, on one node and on two.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { openStore } from '../../../kernel/store/open.ts';
import { type Nodes, startNodes } from '../../nodes.ts';
import { type People, people } from '../../people.ts';
import { until } from '../../runtime.ts';
import { signInAdmin, type TestServer } from '../../server.ts';
import { testDatabases } from '../../stores.ts';

const databases = await testDatabases();
const SECOND_MS = 1_000;
const IDLE_SECONDS = 1_000;
const LIMITS = { session_max_age_seconds: 100_000, session_max_stale_age_seconds: IDLE_SECONDS };

for (const database of databases) {
  let nodes: Nodes;
  let they: People;
  let read: (sql: string, ...params: string[]) => Promise<{ n: number }>;
  let close: () => Promise<void>;
  let shorten: (realm: string, seconds: number) => Promise<unknown>;
  const name = (text: string) => `${database.dialect}: ${text}`;
  const both = () => [...new Set<TestServer>([nodes.one, nodes.other])];
  const root = async () => (await nodes.one.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).cookie as string;
  const signIn = async (user: string) => {
    const { body, cookie } = await they.signIn('r', user, `${user} password`);
    return { id: body.session_id as string, cookie: cookie as string };
  };
  const uses = async (cookie: string, node = nodes.one) => (await node.ask('GET', '/whoami', { cookie })).status;
  const rows = async (id: string) => (await read('SELECT COUNT(*) AS n FROM session WHERE id = $1', id)).n;
  const written = async (id: string) => (await read('SELECT seen_at AS n FROM session WHERE id = $1', id)).n;
  /** Ids that each node lists, and that each has by themselves. */
  const listed = async (cookie: string, user: string, id: string, realm = 'r') => {
    const found: unknown[] = [];
    for (const node of both()) {
      const { body } = await node.ask('POST', `/sessions/realms/${realm}/clients`, { cookie, body: [{ username: user, auth_scheme: 'up' }] });
      const { body: one } = await node.ask('GET', `/sessions/${id}`, { cookie });
      found.push(body.session_ids.includes(id), one !== null);
    }
    return [...new Set(found)];
  };
  const purge = (cookie: string, node: TestServer) => node.ask('DELETE', '/sessions/expired', { cookie });

  test(name('the servers and the people of these tests'), async () => {
    nodes = await startNodes(database);
    they = people(nodes.one, await signInAdmin(nodes.one));
    await they.realm('r', LIMITS);
    for (const user of ['ben', 'cat', 'dan']) await they.user('r', user, `${user} password`);
    const store = await openStore(nodes.storeUrl, { writer: 'test', clock: nodes.one.clock });
    read = async (sql, ...params) => (await store.get<{ n: number }>(sql, params)) as { n: number };
    shorten = (realm, seconds) =>
      store.transaction(async (tx) => void (await tx.run('UPDATE realm SET session_max_stale_age_seconds = $2 WHERE id = $1', [realm, seconds])));
    close = () => store.close();
  });

  test(name('DELETE /sessions/expired deletes what is idle for a second too long, and the lists have it no more'), async () => {
    // So short that the regular purge, once a minute, has not come yet.
    await they.realm('brief');
    await shorten('brief', 20);
    await they.user('brief', 'ann', 'ann password');
    const ann = { id: (await they.signIn('brief', 'ann', 'ann password')).body.session_id as string };
    await nodes.advance(21 * SECOND_MS);
    const cookie = await root();
    assert.deepEqual(await listed(cookie, 'ann', ann.id, 'brief'), [false]);
    assert.equal(await rows(ann.id), 1);
    assert.equal((await purge(cookie, nodes.other)).status, 204);
    assert.equal(await rows(ann.id), 0);
    const { events } = (await nodes.one.ask('GET', '/audit?event=session.purge', { cookie })).body;
    assert.match(events.at(-1).target, /^[1-9]\d* sessions$/);
  });

  test(name('what was used within a tenth of the limit lives for the whole limit from then on, and is purged by nobody'), async () => {
    const ben = await signIn('ben');
    await nodes.advance(50 * SECOND_MS);
    assert.equal(await uses(ben.cookie), 200);
    const before = await written(ben.id);
    await nodes.advance(60 * SECOND_MS);
    // Written without another use: from now on every node knows.
    await until(async () => (await written(ben.id)) > before, 'the use is written');
    await nodes.advance((IDLE_SECONDS - 80) * SECOND_MS);
    const cookie = await root();
    assert.deepEqual(await listed(cookie, 'ben', ben.id), [true]);
    for (const node of both()) assert.equal((await purge(cookie, node)).status, 204);
    assert.equal(await rows(ben.id), 1);
    // The looks of an admin have not moved the limit.
    await nodes.advance(15 * SECOND_MS);
    assert.deepEqual(await listed(cookie, 'ben', ben.id), [true]);
    await nodes.advance(10 * SECOND_MS);
    assert.deepEqual(await listed(cookie, 'ben', ben.id), [false]);
    for (const node of both()) assert.equal(await uses(ben.cookie, node), 401);
    assert.equal((await purge(cookie, nodes.other)).status, 204);
    assert.equal(await rows(ben.id), 0);
  });

  test(name('a use that only memory knows counts when the time of the row is over'), async () => {
    if (database.dialect !== 'sqlite') return;
    const cat = await signIn('cat');
    await nodes.advance(50 * SECOND_MS);
    assert.equal(await uses(cat.cookie), 200);
    await nodes.advance((IDLE_SECONDS - 40) * SECOND_MS);
    const cookie = await root();
    assert.equal((await purge(cookie, nodes.one)).status, 204);
    assert.deepEqual(await listed(cookie, 'cat', cat.id), [true]);
    assert.equal(await uses(cat.cookie), 200);
  });

  test(name("an admin's look moves no idle limit, a visitor's and an app token's do"), async () => {
    const cookie = await root();
    await nodes.one.ask('POST', '/auth/approle/role/api', { cookie, body: { bind_secret_id: false, token_policies: ['sessions:read:r'], token_ttl: 100_000 } });
    const { role_id } = (await nodes.one.ask('GET', '/auth/approle/role/api/role-id', { cookie })).body.data;
    const { client_token } = (await nodes.one.ask('POST', '/auth/approle/login', { body: { role_id } })).body.auth;
    const looks = {
      'GET by an admin': async (id: string) => nodes.one.ask('GET', `/sessions/${id}`, { cookie: await root() }),
      'POST by an admin': async (id: string) =>
        nodes.one.ask('POST', `/sessions/${id}`, { cookie: await root(), body: { authenticated_clients: [], sessions_action: null } }),
      'GET by a token': (id: string) => nodes.one.ask('GET', `/sessions/${id}`, { headers: { 'x-app-token': client_token } }),
    };
    for (const [how, look] of Object.entries(looks)) {
      const dan = await signIn('dan');
      await nodes.advance(600 * SECOND_MS);
      assert.equal((await look(dan.id)).body.session_id, dan.id, how);
      await nodes.advance(600 * SECOND_MS);
      assert.equal(await uses(dan.cookie), how.endsWith('token') ? 200 : 401, how);
    }
    await close();
    await nodes.end();
  });
}

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
