// A realm admin cannot fill the memory of an actor of all realms: what is stored as JSON is bounded, and lists are read and answered in pages.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'uvu';
import { openStore } from '../../kernel/store/open.ts';
import type { SqlValue } from '../../kernel/store/store.ts';
import { type People, people } from '../people.ts';
import { type Answer, signInAdmin, startServer, type TestServer } from '../server.ts';
import { testDatabases } from '../stores.ts';

const databases = await testDatabases();
/** As many as were needed to end the directory with an empty heap; each has roles of 255 KB, as a body could hold them. */
const FAT_CREDENTIALS = 1_300;
const FAT_ROLES = JSON.stringify(Array.from({ length: 1_000 }, (_, at) => String(at).padStart(255, 'r')));
/** Actors in threads of their own have small heaps, so that what fills them is seen. */
const OWN = '[auth]\nplacement = "own"\n';
const SESSION_COLUMNS = 'id, cookie_hash, realm, username, scheme, created_at, seen_at, max_age_seconds, max_stale_age_seconds, claims';
const PHC = '$argon2id$v=19$m=65536,t=3,p=4$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY';

/** The address of the next page in the header Link. */
const nextOf = ({ headers }: Answer): string | undefined => /^<([^>]+)>; rel="next"$/.exec(String(headers['link'] ?? ''))?.[1];

for (const database of databases) {
  let server: TestServer;
  let they: People;
  let eve: string;
  let url: string;
  const name = (text: string) => `${database.dialect}: ${text}`;

  /** Writes past the server, as a release with other bounds has. */
  async function write(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<void> {
    const store = await openStore(url, { writer: 'test/lists', clock: server.clock });
    for (let at = 0; at < rows.length; at += 50)
      await store.transaction(async (tx) => {
        for (const row of rows.slice(at, at + 50)) await tx.run(sql, row);
      });
    await store.close();
  }

  /** Every page of a list, one after the other. @returns its entries @param entriesOf finds them in a body */
  async function pages(path: string, cookie: string, limit: number, entriesOf = (body: unknown) => body as unknown[]): Promise<unknown[]> {
    const entries: unknown[] = [];
    let query: string | undefined = `?limit=${limit}`;
    while (query !== undefined) {
      const page: Answer = await server.ask('GET', `${path}${query}`, { cookie });
      assert.equal(page.status, 200, page.text);
      assert.ok(page.text.length < 8_388_608, `${page.text.length} bytes at once`);
      assert.ok(entriesOf(page.body).length <= limit);
      entries.push(...entriesOf(page.body));
      query = nextOf(page);
    }
    return entries;
  }

  test(name('the people of these tests'), async () => {
    const postgres = database.dialect === 'sqlite' ? undefined : await database.url();
    server = await startServer({ config: `${OWN}${postgres === undefined ? '' : `[store]\nurl = "${postgres}"\n`}` });
    url = postgres ?? `sqlite:${join(server.dataDir, 'gatehouse.db')}`;
    they = people(server, await signInAdmin(server));
    await they.realm('r');
    eve = await they.realmAdmin('r', 'eve');
  });

  test(name('what is stored as JSON has a few KB at most, and the refusal names the member and its limit'), async () => {
    const roles = (bytes: number) => Array.from({ length: Math.floor((bytes - 2) / 128) }, (_, at) => String(at).padStart(125, 'r'));
    const credential = (members: object) =>
      server.ask('POST', '/realms/r/userpass', { cookie: eve, body: { username: 'fat', password_input: { hashed: PHC }, ...members } });
    const admin = (members: object) => server.ask('POST', '/admins', { cookie: eve, body: { id: 'fat', realms: ['r'], ...members } });
    const role = (members: object) => server.ask('POST', '/auth/approle/role/fat', { cookie: they.root, body: members });
    const cluster = (members: object) => {
      const body = {
        jwks_url: 'https://c.example/jwks',
        bound_service_account_names: ['a'],
        bound_service_account_namespaces: ['b'],
        token_ttl: 1,
        ...members,
      };
      return server.ask('POST', '/auth/cluster/role/fat', { cookie: they.root, body });
    };
    const providers = Array.from({ length: 100 }, (_, at) => ({ jwt_issuer_uri: `https://${at}.example/${'i'.repeat(500)}`, jwks_uri: 'https://a.example/' }));
    const realm = (auth_params: object) => server.ask('PUT', '/admins/realms/r', { cookie: they.root, body: { auth_params } });
    for (const [answer, member, bytes] of [
      [await credential({ roles: roles(4_300) }), 'roles', 4_096],
      [await credential({ extra_claims: { a: 'x'.repeat(4_090) } }), 'extra_claims', 4_096],
      [await admin({ digital_credentials: { a: 'x'.repeat(4_090) } }), 'digital_credentials', 4_096],
      [await role({ token_policies: roles(4_300) }), 'token_policies', 4_096],
      [await cluster({ token_policies: roles(4_300) }), 'token_policies', 4_096],
      [await cluster({ bound_service_account_names: roles(16_600) }), 'bound_service_account_names', 16_384],
      [await cluster({ bound_service_account_namespaces: roles(16_600) }), 'bound_service_account_namespaces', 16_384],
      [await cluster({ bound_audiences: roles(16_600) }), 'bound_audiences', 16_384],
      [await realm({ jwt_params: { idp_params: providers } }), 'auth_params', 32_768],
    ] as const) {
      assert.equal(answer.status, 400, `${member}: ${answer.text.slice(0, 200)}`);
      assert.ok(answer.body.message.includes(`body/${member}`) && answer.body.message.includes(`${bytes} bytes`), answer.body.message);
    }
    for (const answer of [
      await credential({ roles: roles(4_000), extra_claims: { a: 'x'.repeat(4_000) } }),
      await admin({ digital_credentials: { a: 'x'.repeat(4_000) } }),
      await role({ token_policies: roles(4_000) }),
      await cluster({ bound_service_account_names: roles(16_000), token_policies: roles(4_000) }),
      await realm({ jwt_params: { idp_params: providers.slice(0, 50) } }),
    ])
      assert.ok(answer.status < 300, answer.text);
    for (const path of ['/realms/r/userpass/fat', '/admins/fat']) assert.equal((await server.ask('DELETE', path, { cookie: eve })).status, 204);
  });

  test(
    name('six lists at once of 1300 credentials with 255 KB of roles, from before the bound: everybody else is served, and every one is found page by page'),
    async () => {
      await write(
        "INSERT INTO userpass (realm, username, password_hash, change_password, roles, extra_claims, password_set_at, revision) VALUES ('r', $1, 'x', 0, $2, NULL, 0, 1)",
        Array.from({ length: FAT_CREDENTIALS }, (_, at) => [`u${String(at).padStart(5, '0')}`, FAT_ROLES]),
      );
      const all = Promise.all(Array.from({ length: 6 }, () => server.ask('GET', '/realms/r/userpass', { cookie: eve })));
      const honest: number[] = [];
      let isOver = false;
      void all.finally(() => {
        isOver = true;
      });
      while (!isOver) honest.push((await server.ask('GET', '/admins/admin', { cookie: they.root })).status);
      assert.deepEqual([...new Set(honest)], [200]);
      for (const answer of await all) {
        assert.deepEqual([answer.status, answer.body.code], [400, 'AUTH_LIST_TOO_LONG'], answer.text.slice(0, 200));
        assert.match(answer.body.message, /limit/);
      }
      const restarts = (await server.ask('GET', '/metrics')).text.split('\n').filter((line) => /restart/.test(line) && !line.startsWith('#'));
      assert.ok(
        restarts.every((line) => line.endsWith(' 0')),
        restarts.join('\n'),
      );
      const found = (await pages('/realms/r/userpass', eve, 1_000)) as { username: string; roles: string[] }[];
      assert.equal(found.length, FAT_CREDENTIALS + 1);
      assert.deepEqual(
        found.map(({ username }) => username),
        ['eve', ...Array.from({ length: FAT_CREDENTIALS }, (_, at) => `u${String(at).padStart(5, '0')}`)],
      );
      assert.equal(found.at(-1)?.roles.length, 1_000);
      const one = await server.ask('GET', '/realms/r/userpass/u00000', { cookie: eve });
      assert.deepEqual([one.status, one.body.roles.length], [200, 1_000]);
      await write("DELETE FROM userpass WHERE realm = 'r' AND username LIKE $1", [['u0%']]);
    },
  );

  test(name('every list is reachable to its end in small pages, and the whole of a short one is one answer without a Link'), async () => {
    const numbers = Array.from({ length: 25 }, (_, at) => String(at).padStart(2, '0'));
    const expected = numbers.map((n) => `p${n}`);
    const named = expected.map((id) => [id]);
    await write("INSERT INTO realm VALUES ($1, '{}', 60, 60, 60, 0)", named);
    await write('INSERT INTO admin (id, userpass) VALUES ($1, $1)', named);
    await write(
      "INSERT INTO approle (name, role_id, token_ttl_seconds, token_max_ttl_seconds, token_policies, secret_id_ttl_seconds, bind_secret_id) VALUES ($1, $1, 60, 0, '[]', 0, 1)",
      named,
    );
    await write("INSERT INTO cluster_role VALUES ($1, 'x', '{}')", named);
    await write(
      "INSERT INTO secret_id (accessor, digest, role, created_at, expires_at, num_uses, uses, exhausted_at) VALUES ($1, $1, 'p00', 7, 0, 0, 0, 0)",
      named,
    );
    await write(
      `INSERT INTO session (${SESSION_COLUMNS}) VALUES ($1, $2, 'r', $3, 'jwt', $4, $4, 9999, 9999, '{}')`,
      expected.map((id, at) => [id, new Uint8Array(32), at < 12 ? 'ann' : 'ben', server.clock.now()]),
    );
    const keys = (body: unknown) => (body as { data: { keys: string[] } }).data.keys as unknown[];
    const ids = (body: unknown) => body as unknown[];
    const root = they.root;
    const idsOf = (list: unknown[]) => list.map((entry) => (typeof entry === 'string' ? entry : (entry as { id: string }).id)).filter((id) => /^p\d/.test(id));
    for (const [path, entriesOf] of [
      ['/admins/realms', ids],
      ['/admins', ids],
      ['/auth/approle/role', keys],
      ['/auth/cluster/role', keys],
      ['/auth/approle/role/p00/secret-id', keys],
    ] as const) {
      assert.deepEqual(idsOf(await pages(path, root, 7, entriesOf)), expected, path);
      const whole = await server.ask('GET', path, { cookie: root });
      assert.deepEqual([whole.status, whole.headers['link'], idsOf(entriesOf(whole.body))], [200, undefined, expected], path);
      assert.equal((await server.ask('GET', `${path}?after=bm9uZQ`, { cookie: root })).status, 400, path);
      assert.equal((await server.ask('GET', `${path}?limit=1001`, { cookie: root })).status, 400, path);
    }
    await they.realm('q');
    const sue = await they.realmAdmin('q', 'sue', ['q', ...expected]);
    assert.deepEqual(
      (await pages('/admins/realms', sue, 5)).map((realm) => (realm as { id: string }).id),
      ['q'],
    );
    const clients = { authenticated_clients: ['ann', 'nobody', 'ben', 'ann'].map((username) => ({ username, auth_scheme: 'jwt' })) };
    const sessions: string[] = [];
    let query: string | undefined = '?limit=5';
    while (query !== undefined) {
      const page: Answer = await server.ask('POST', `/sessions/realms/r/clients${query}`, { cookie: root, body: clients });
      assert.equal(page.status, 200, page.text);
      sessions.push(...page.body.session_ids);
      query = nextOf(page);
    }
    assert.deepEqual(sessions, expected);
  });

  test(name('whatever the number of sessions: all of a client are ended at once, all of a realm too, and others go on'), async () => {
    const now = server.clock.now();
    const id = (at: number) => `00000000-0000-8000-8000-${String(at).padStart(12, '0')}`;
    const claims = JSON.stringify({ jti: 'x', roles: [], extraClaims: {} });
    await write(
      `INSERT INTO session (${SESSION_COLUMNS}) VALUES ($1, $2, 'r', $3, 'jwt', $4, $4, 9999, 9999, $5)`,
      Array.from({ length: 18_000 }, (_, at) => [id(at), new Uint8Array(32), at % 3 === 0 ? 'all' : `u${at}`, now, claims]),
    );
    const clients = [{ username: 'all', auth_scheme: 'jwt' }];
    const ended = await server.ask('POST', `/sessions/${id(0)}`, {
      cookie: they.root,
      body: { authenticated_clients: clients, sessions_action: 'LogoutOtherSessions' },
    });
    assert.deepEqual([ended.status, ended.body.session_id], [200, id(0)], ended.text.slice(0, 300));
    const left = await server.ask('POST', '/sessions/realms/r/clients', { cookie: they.root, body: clients });
    assert.deepEqual(left.body.session_ids, [id(0)]);
    assert.equal((await server.ask('GET', `/sessions/${id(1)}`, { cookie: they.root })).body.session_id, id(1));
    const session_ids = Array.from({ length: 1_000 }, (_, at) => id(at));
    const many = Promise.all(Array.from({ length: 8 }, () => server.ask('DELETE', '/sessions', { cookie: they.root, body: { session_ids } })));
    const honest = await Promise.all(Array.from({ length: 20 }, () => server.ask('GET', '/whoami', { cookie: they.root })));
    assert.deepEqual([...new Set([...honest, ...(await many)].map(({ status }) => status))].sort(), [200, 204]);
    assert.equal((await server.ask('GET', `/sessions/${id(1_001)}`, { cookie: they.root })).body.session_id, id(1_001));
    assert.equal((await server.ask('DELETE', '/sessions/realms/r', { cookie: they.root })).status, 204);
    assert.equal((await server.ask('GET', `/sessions/${id(1_001)}`, { cookie: they.root })).body, null);
  });

  test(name('sessions of large claims, each looked at, do not fill the memory of the sessions of all realms'), async () => {
    const id = (at: number) => `00000000-0000-8000-9000-${String(at).padStart(12, '0')}`;
    // Three characters of JSON, sixty bytes of memory: all of them together would take 1.2 GB.
    const claims = JSON.stringify({ jti: 'x', roles: [], extraClaims: { a: Array.from({ length: 40_000 }, () => ({})) } });
    await write(
      `INSERT INTO session (${SESSION_COLUMNS}) VALUES ($1, $2, 'r', 'fat', 'jwt', $3, $3, 9999, 9999, $4)`,
      Array.from({ length: 500 }, (_, at) => [id(at), new Uint8Array(32), server.clock.now(), claims]),
    );
    const looks: number[] = [];
    for (let at = 0; at < 500; at += 4)
      looks.push(
        ...(await Promise.all([0, 1, 2, 3].map(async (more) => (await server.ask('GET', `/sessions/${id(at + more)}`, { cookie: they.root })).status))),
      );
    assert.deepEqual([...new Set(looks)], [200]);
    assert.equal((await server.ask('GET', `/sessions/${id(0)}`, { cookie: they.root })).body.session_id, id(0));
    assert.equal((await server.ask('DELETE', '/sessions/realms/r', { cookie: they.root })).status, 204);
  });

  test(name('the server ends'), () => server.end());
}

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
