// Quotas of the authentication service: exact under many writers at once on every node, refused by name, and nobody is kept from signing in by their own sessions.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { openStore } from '../../kernel/store/open.ts';
import { type Nodes, startNodes } from '../nodes.ts';
import { type People, people } from '../people.ts';
import { type Answer, type Ask, signInAdmin } from '../server.ts';
import { testDatabases } from '../stores.ts';

const databases = await testDatabases();
const PHC = '$argon2id$v=19$m=65536,t=3,p=4$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY';
const CONFIG = `[auth.quotas]
sessions_per_identity = 3
sessions_per_realm = 8
tokens_per_identity = 4
tokens_per_role = 6
secret_ids_per_role = 5
credentials_per_realm = 6
admins_per_realm = 4
`;
const ATTEMPTS = Array.from({ length: 20 }, (_, at) => at);

for (const database of databases) {
  let nodes: Nodes;
  let they: People;
  const name = (text: string) => `${database.dialect}: ${text}`;
  const root = (at: number, ...[method, path, options]: Parameters<Ask>) =>
    (at % 2 === 0 ? nodes.one : nodes.other).ask(method, path, { cookie: they.root, ...options });
  /** How many were answered well; every other one names the quota. */
  async function admitted(asked: readonly Promise<Answer>[], quota: string, limit: number): Promise<number> {
    const answers = await Promise.all(asked);
    const refused = answers.filter(({ status }) => status >= 300);
    for (const { status, body, text } of refused) {
      assert.deepEqual([status, body.code], [429, 'AUTH_QUOTA_EXCEEDED'], text);
      assert.ok(body.message.includes(`[auth.quotas] ${quota}`) && body.message.includes(String(limit)), body.message);
    }
    return answers.length - refused.length;
  }
  /** What the database counts is what there is. */
  async function requireTrueCounts(): Promise<void> {
    const store = await openStore(nodes.storeUrl, { writer: 'test/quotas', clock: nodes.one.clock });
    const counted = await store.all<{ kind: string; scope: string; amount: number }>('SELECT kind, scope, amount FROM auth_usage ORDER BY kind, scope');
    const sorted = (rows: readonly { kind: string; scope: string; amount: number }[]) =>
      rows.map(({ kind, scope, amount }) => `${kind} ${scope} ${amount}`).sort();
    const there = await store.all<{ kind: string; scope: string; amount: number }>(
      `SELECT 'session' AS kind, realm AS scope, COUNT(*) AS amount FROM session GROUP BY realm
       UNION ALL SELECT 'credential', realm, COUNT(*) FROM userpass GROUP BY realm UNION ALL SELECT 'admin', realm, COUNT(*) FROM admin_realm GROUP BY realm
       UNION ALL SELECT 'secret_id', role, COUNT(*) FROM secret_id GROUP BY role
       UNION ALL SELECT 'token_role', kind || ':' || role, COUNT(*) FROM app_token GROUP BY kind, role
       UNION ALL SELECT 'token', kind || ':' || role || '/' || entity, COUNT(*) FROM app_token GROUP BY kind, role, entity`,
    );
    await store.close();
    assert.deepEqual(sorted(counted), sorted(there));
  }

  test(name('the servers and people of these tests'), async () => {
    nodes = await startNodes(database, { config: CONFIG });
    they = people(nodes.one, await signInAdmin(nodes.one));
    await they.realm('r');
  });

  test(name('credentials of a realm: of twenty made at once as many as there is room for; one that goes makes room, another realm has its own'), async () => {
    const make = (at: number, realm: string, username = `u${at}`) =>
      root(at, 'POST', `/realms/${realm}/userpass`, { body: { username, password_input: { hashed: PHC } } });
    assert.equal(
      await admitted(
        ATTEMPTS.map((at) => make(at, 'r')),
        'credentials_per_realm',
        6,
      ),
      6,
    );
    const [first] = (await root(0, 'GET', '/realms/r/userpass')).body as { username: string }[];
    assert.equal((await root(0, 'PUT', `/realms/r/userpass/${first?.username}`, { body: { roles: ['x'] } })).status, 200);
    assert.equal((await root(0, 'DELETE', `/realms/r/userpass/${first?.username}`)).status, 204);
    assert.deepEqual([(await make(0, 'r', 'next')).status, (await make(0, 'r', 'more')).status], [201, 429]);
    await they.realm('other');
    assert.equal((await make(0, 'other')).status, 201);
    assert.equal((await root(0, 'DELETE', '/admins/realms/r')).status, 204);
    await they.realm('r');
    assert.equal((await make(1, 'r')).status, 201);
    await requireTrueCounts();
  });

  test(name('admins of a realm: made, replaced or added to, they are counted; one that stays where it was is never refused'), async () => {
    const make = (at: number, id: string) => root(at, 'POST', '/admins', { body: { id, realms: ['other'] } });
    assert.equal(
      await admitted(
        ATTEMPTS.map((at) => make(at, `a${at}`)),
        'admins_per_realm',
        4,
      ),
      4,
    );
    assert.equal((await root(0, 'POST', '/admins', { body: { id: 'elsewhere', realms: ['r'] } })).status, 201);
    const refused = [await root(0, 'PUT', '/admins/elsewhere/realms/other'), await root(0, 'PUT', '/admins/elsewhere', { body: { realms: ['r', 'other'] } })];
    assert.deepEqual(
      refused.map(({ status }) => status),
      [429, 429],
    );
    const kept = ((await root(0, 'GET', '/admins')).body as { id: string; realms: string[] }[]).find(({ realms }) => realms.includes('other'));
    assert.equal((await root(0, 'PUT', `/admins/${kept?.id}`, { body: { realms: ['other'], jwt: 'x' } })).status, 200);
    assert.equal((await root(0, 'PUT', `/admins/${kept?.id}/realms/other`)).status, 200);
    assert.equal((await root(0, 'DELETE', `/admins/${kept?.id}/realms/other`)).status, 200);
    assert.equal((await root(0, 'PUT', '/admins/elsewhere/realms/other')).status, 200);
    await requireTrueCounts();
  });

  test(name('sessions: with as many as a user may have the oldest ends at once on every node, and the user is never refused'), async () => {
    await they.user('other', 'ann', 'ann password');
    const cookies: string[] = [];
    for (let at = 0; at < 3; at++) cookies.push(await they.session('other', 'ann', 'ann password'));
    const isLive = async (cookie: string, at = 0) => (await (at === 0 ? nodes.one : nodes.other).ask('GET', '/whoami', { cookie })).status === 200;
    for (const cookie of cookies) assert.ok((await isLive(cookie)) && (await isLive(cookie, 1)));
    cookies.push(await they.session('other', 'ann', 'ann password'));
    const live = async () => Promise.all(cookies.map(async (cookie) => (await isLive(cookie)) && isLive(cookie, 1)));
    assert.deepEqual(await live(), [false, true, true, true]);
    const ended = (await root(0, 'GET', '/audit?realm=other&event=session.end')).body.events as { reason: string; actor: string }[];
    assert.deepEqual(
      ended.map(({ reason, actor }) => [reason, actor]),
      [['quota', 'other/ann']],
    );
    await Promise.all(ATTEMPTS.slice(0, 6).map((at) => (at % 2 ? nodes.one : nodes.other).ask('POST', '/login?realm=other', { user: 'ann:ann password' })));
    const clients = [{ username: 'ann', auth_scheme: 'up' }];
    assert.equal((await root(0, 'POST', '/sessions/realms/other/clients', { body: clients })).body.session_ids.length, 3);
    await requireTrueCounts();
  });

  test(name('sessions of a realm: beyond its quota sign-ins are refused and audited, and ended sessions make room'), async () => {
    for (const user of ['ben', 'cid', 'dan']) await they.user('other', user, `${user} password`);
    const signIn = (at: number) =>
      (at % 2 === 0 ? nodes.one : nodes.other).ask('POST', '/login?realm=other', { user: `${['ben', 'cid'][at % 2]}:${['ben', 'cid'][at % 2]} password` });
    await admitted(
      ATTEMPTS.slice(0, 8).map((at) => signIn(at)),
      'sessions_per_realm',
      8,
    );
    // Three of Ann's, and five more.
    const dan = await they.signIn('other', 'dan', 'dan password');
    assert.deepEqual([dan.status, dan.body.code], [429, 'AUTH_QUOTA_EXCEEDED'], dan.text);
    assert.equal((await they.signIn('other', 'dan', 'wrong password')).status, 401);
    const rows = (await root(0, 'GET', '/audit?realm=other&event=login&actor=dan')).body.events as { outcome: string; reason: string }[];
    assert.ok(rows.some(({ outcome, reason }) => outcome === 'refused' && reason === 'quota'));
    await requireTrueCounts();
    assert.equal((await root(0, 'DELETE', '/sessions/realms/other')).status, 204);
    assert.equal((await they.signIn('other', 'dan', 'dan password')).body.next_step, 'Authenticated');
    await requireTrueCounts();
  });

  test(name('secret ids and app tokens of a role: of twenty at once as many as there is room for; a refused login uses nothing up'), async () => {
    assert.equal((await root(0, 'POST', '/auth/approle/role/backup', { body: {} })).status, 204);
    const made = ATTEMPTS.map((at) => root(at, 'POST', '/auth/approle/role/backup/secret-id', { body: { num_uses: 10 } }));
    assert.equal(await admitted(made, 'secret_ids_per_role', 5), 5);
    const secret_id = (await Promise.all(made)).find(({ status }) => status === 200)?.body.data.secret_id as string;
    const role_id = (await root(0, 'GET', '/auth/approle/role/backup/role-id')).body.data.role_id as string;
    const logIn = (at: number) => (at % 2 === 0 ? nodes.one : nodes.other).ask('POST', '/auth/approle/login', { body: { role_id, secret_id } });
    // Ten uses: twenty logins would have used them up.
    assert.equal(await admitted(ATTEMPTS.map(logIn), 'tokens_per_identity', 4), 4);
    await requireTrueCounts();
    assert.equal((await root(0, 'POST', '/auth/approle/role/backup/revoke-tokens')).status, 204);
    assert.deepEqual([(await logIn(0)).status, (await logIn(1)).status], [200, 200]);
    const refused = (await root(0, 'GET', '/audit?event=approle.login')).body.events as { outcome: string; reason: string }[];
    assert.ok(refused.some(({ outcome, reason }) => outcome === 'refused' && reason === 'quota'));
    assert.equal((await root(0, 'DELETE', '/auth/approle/role/backup')).status, 204);
    await requireTrueCounts();
  });

  test(name('the servers end'), () => nodes.end());
}

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
