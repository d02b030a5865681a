// Attacks between users and realms: what of others can be read, forged, raced or kept after it was taken away.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type People, people } from '../../people.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';
import { testDatabases } from '../../stores.ts';

// A password hash takes long enough for other requests to arrive during a sign-in.
process.env['GATEHOUSE_TEST_PASSWORD_COST'] = 'middle';

const databases = await testDatabases();

for (const database of databases) {
  let server: TestServer;
  let they: People;
  let eve: string;
  const name = (text: string) => `${database.dialect}: ${text}`;
  const get = (cookie: string, path: string) => server.ask('GET', path, { cookie });

  test(name('the people of these tests'), async () => {
    server = await startServer(database.dialect === 'sqlite' ? {} : { config: `[store]\nurl = "${await database.url()}"` });
    they = people(server, await signInAdmin(server));
    for (const realm of ['r', 'other']) await they.realm(realm);
    for (const user of ['ann', 'ben']) await they.user('r', user, `${user} password`);
    eve = await they.realmAdmin('other', 'eve');
  });

  test(name('a session of one realm is none of another'), async () => {
    for (const path of ['/whoami?realm=r', '/whoami?realm=_']) assert.equal((await get(eve, path)).status, 401, path);
    for (const path of ['/realms/r/userpass', '/realms/r/userpass/ann', '/admins/realms/r', '/audit?realm=r'])
      assert.equal((await get(eve, path)).status, 403, path);
    for (const [method, path, body] of [
      ['POST', '/realms/r/userpass', { username: 'x', password_input: { plaintext: 'x password' } }],
      ['PUT', '/realms/r/userpass/ann', { password_input: { plaintext: 'x password' } }],
      ['DELETE', '/realms/r/userpass/ann', undefined],
      ['POST', '/realms/r/userpass/ann/unlock', undefined],
      ['POST', '/realms/r/totp/generate', { username: 'ann', issuer: 'x' }],
      ['DELETE', '/realms/r/totp/ann', undefined],
      ['DELETE', '/sessions/realms/r', undefined],
    ] as const)
      assert.equal((await server.ask(method, path, { cookie: eve, ...(body ? { body } : {}) })).status, 403, path);
  });

  test(name('the administrators of a realm see nothing of an earlier one of its name; super admins do'), async () => {
    const events = async (cookie: string, more = '') => {
      const { status, body } = await get(cookie, `/audit?realm=again&limit=1000${more}`);
      assert.equal(status, 200);
      return body.events.map((row: { event: string; target: string }) => `${row.event} ${row.target}`);
    };
    await they.realm('again');
    await they.user('again', 'former', 'former password');
    await server.runtime.advance(1_000);
    assert.equal((await server.ask('DELETE', '/admins/realms/again', { cookie: they.root })).status, 204);
    await server.runtime.advance(1_000);
    await they.realm('again');
    const admin = await they.realmAdmin('again', 'later');
    const [former, later] = ['credential.create former', 'credential.create later'];
    const [seen, all, filtered] = await Promise.all([events(admin), events(they.root), events(admin, '&event=credential.create')]);
    assert.deepEqual(
      [former, later].map((each) => [seen.includes(each), all.includes(each)]),
      [
        [false, true],
        [true, true],
      ],
    );
    assert.deepEqual([seen[0], filtered], ['realm.create again', [later]]);
  });

  test(name('no answer to anybody else holds a cookie, a hash or a second factor'), async () => {
    const { cookie, body } = await they.signIn('r', 'ann', 'ann password');
    const totp = await they.enrol('r', 'ann', cookie as string);
    const ben = await they.session('r', 'ben', 'ben password');
    const ids = ['ann', 'ben'].map((username) => ({ username, auth_scheme: 'up' }));
    assert.equal((await get(ben, `/sessions/${body.session_id}`)).body, null);
    const answers = [
      await get(they.root, `/sessions/${body.session_id}`),
      await server.ask('POST', '/sessions/realms/r/clients', { cookie: they.root, body: ids }),
      await server.ask('POST', `/sessions/${body.session_id}`, { cookie: they.root, body: { authenticated_clients: [], sessions_action: null } }),
      ...(await Promise.all(
        ['/realms/r/userpass', '/realms/r/userpass/ann', '/admins/userpass', '/admins', '/audit?limit=1000'].map((path) => get(they.root, path)),
      )),
    ];
    for (const { status, text } of answers) {
      assert.equal(status, 200, text);
      for (const secret of [cookie as string, totp.secret.base32, 'argon2id', 'ann password']) assert.ok(!text.includes(secret), text);
    }
    assert.ok(!server.lines.some((line) => [cookie as string, totp.secret.base32, 'ann password'].some((secret) => JSON.stringify(line).includes(secret))));
    await server.ask('DELETE', '/realms/r/totp/ann', { cookie: they.root });
  });

  test(name('pages of other origins can use no cookie'), async () => {
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }])
      for (const [method, path] of [
        ['GET', '/whoami'],
        ['DELETE', '/realms/r/userpass/ben'],
        ['DELETE', '/admins/realms/r'],
      ] as const)
        assert.equal((await server.ask(method, path, { cookie: they.root, headers: headers as never })).status, 403, JSON.stringify(headers));
    assert.equal((await server.ask('GET', '/whoami', { cookie: they.root, headers: { origin: server.address } })).status, 200);
  });

  test(name('a second cookie of that name, which another server of the domain has set, acts for nobody'), async () => {
    const ben = await they.session('r', 'ben', 'ben password');
    const key = { kty: 'oct', alg: 'HS256' };
    for (const cookie of [`_ea_=${eve}; _ea_=${ben}`, `_ea_=${ben}; a=b; _ea_=${eve}`, `_ea_=${ben}; _ea_=`]) {
      for (const [method, path, body] of [
        ['GET', '/whoami', undefined],
        ['POST', '/v1/crypto/keys', key],
        ['POST', '/kmip/2_1', { tag: 'Query', value: [] }],
        ['DELETE', '/sessions', { session_ids: [] }],
      ] as const) {
        const answer = await server.ask(method, path, { headers: { cookie }, ...(body ? { body } : {}) });
        assert.deepEqual([answer.status, answer.body.code], [401, 'UNAUTHENTICATED'], `${path} ${cookie}`);
        assert.match(answer.body.message, /two different cookies _ea_/);
      }
      assert.equal((await server.ask('GET', '/sign-in/session', { headers: { cookie } })).body, null);
      assert.equal((await server.ask('POST', '/login?realm=r', { headers: { cookie }, user: 'ben:ben password' })).status, 200);
    }
    assert.equal((await server.ask('POST', '/v1/crypto/keys', { headers: { cookie: `_ea_=${ben}; _ea_=${ben}` }, body: key })).status, 200);
  });

  test(name('of many who make the same thing at once one gets 201, the others 409'), async () => {
    for (const [path, body] of [
      ['/admins/realms', { id: 'same' }],
      ['/admins', { id: 'same', realms: ['r'] }],
      ['/realms/r/userpass', { username: 'same', password_input: { plaintext: 'same password' } }],
    ] as const) {
      const all = await Promise.all(Array.from({ length: 8 }, () => server.ask('POST', path, { cookie: they.root, body })));
      assert.deepEqual(all.map(({ status }) => status).sort(), [201, ...Array(7).fill(409)], path);
    }
  });

  test(name('two super admins who demote each other at once leave one'), async () => {
    await they.user('_', 'second', 'second password');
    assert.equal((await server.ask('POST', '/admins', { cookie: they.root, body: { id: 'second', realms: ['_'], userpass: 'second' } })).status, 201);
    const second = await they.session('_', 'second', 'second password');
    for (let round = 0; round < 5; round++) {
      const both = await Promise.all([
        server.ask('DELETE', '/admins/second/realms/_', { cookie: they.root }),
        server.ask('DELETE', '/admins/admin/realms/_', { cookie: second }),
      ]);
      const left = [they.root, second];
      const able = await Promise.all(left.map(async (cookie) => (await get(cookie, '/admins')).status === 200));
      assert.equal(able.filter(Boolean).length, 1, JSON.stringify(both.map(({ status }) => status)));
      const cookie = left[able.indexOf(true)] as string;
      for (const id of ['admin', 'second']) assert.equal((await server.ask('PUT', `/admins/${id}/realms/_`, { cookie })).status, 200);
    }
  });

  test(name('twenty guesses at once with the right one among them do not get in after five wrong ones'), async () => {
    for (let tried = 0; tried < 5; tried++) assert.equal((await they.signIn('r', 'ben', 'guess')).status, 401);
    const guesses = Array.from({ length: 20 }, (_, n) => they.signIn('r', 'ben', n === 11 ? 'ben password' : `guess ${n}`));
    for (const { status, cookie } of await Promise.all(guesses)) assert.deepEqual([status, cookie], [401, undefined]);
    await server.end();
  });
}

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
