// Sessions, certificates for keys, key sets and the audit log: endpoints, rights, and what must not be seen.
import assert from 'node:assert/strict';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { test } from 'uvu';
import { type AuditRow, auditHash } from '../../../kernel/store/audit.ts';
import { type People, people } from '../../people.ts';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';
import { testDatabases } from '../../stores.ts';

const databases = await testDatabases();
const PEM = '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----';

for (const database of databases) {
  let server: TestServer;
  let they: People;
  let eve: string;
  const name = (text: string) => `${database.dialect}: ${text}`;
  const login = async (user: string) => {
    const { body, cookie } = await they.signIn('r', user, `${user} password`);
    return { id: body.session_id as string, cookie: cookie as string };
  };
  const look = (cookie: string, id: string) => server.ask('GET', `/sessions/${id}`, { cookie });
  const up = (username: string) => ({ username, auth_scheme: 'UsernamePassword' });

  test(name('the people of these tests'), async () => {
    server = await startServer(database.dialect === 'sqlite' ? {} : { config: `[store]\nurl = "${await database.url()}"` });
    they = people(server, await signInAdmin(server));
    await they.realm('r');
    await they.realm('other');
    eve = await they.realmAdmin('other', 'eve');
    for (const user of ['ann', 'ben']) await they.user('r', user, `${user} password`, { extra_claims: { team: user, as_registrant: 'x' } });
  });

  test(name('GET /sessions/{session_id}: own with its cookie, an admin without it, null for what may not be seen or is not there'), async () => {
    const ann = await login('ann');
    const second = await login('ann');
    const own = await look(ann.cookie, ann.id);
    assert.deepEqual([own.status, own.body.cookie_string, own.body.username, own.body.realm_id, own.body.auth_scheme], [200, ann.cookie, 'ann', 'r', 'up']);
    assert.deepEqual(Object.keys(own.body), [
      'session_id',
      'realm_id',
      'username',
      'auth_scheme',
      'cookie_string',
      'max_age_seconds',
      'max_stale_age_seconds',
      'created_at',
    ]);
    assert.equal((await look(ann.cookie, second.id)).body.cookie_string, '');
    // Seconds, as the claims have them.
    assert.equal(own.body.created_at, (await server.ask('GET', '/whoami', { cookie: ann.cookie })).body.iat);
    assert.ok(Math.abs(own.body.created_at - server.clock.now() / 1000) < 60, String(own.body.created_at));
    assert.equal((await look(they.root, ann.id)).body.cookie_string, '');
    const ben = await login('ben');
    for (const [cookie, id] of [
      [ben.cookie, ann.id],
      [eve, ann.id],
      [ann.cookie, '00000000-0000-8000-8000-000000000000'],
      [ann.cookie, 'x'],
    ] as const) {
      const { status, text } = await look(cookie, id);
      assert.deepEqual([status, text], [200, 'null']);
    }
    assert.equal((await server.ask('GET', `/sessions/${ann.id}`)).status, 401);
  });

  test(name('POST /sessions/{session_id}: LogoutOtherSessions keeps the queried one, LogoutAllSessions none, and rights are looked at first'), async () => {
    const [a, b, c] = [await login('ann'), await login('ann'), await login('ben')];
    const act = (cookie: string, sessions_action: unknown, clients: unknown[]) =>
      server.ask('POST', `/sessions/${a.id}`, { cookie, body: { authenticated_clients: clients, sessions_action } });
    assert.equal((await act(a.cookie, null, [])).body.session_id, a.id);
    assert.equal((await act(a.cookie, 'LogoutAllSessions', [up('ann'), up('ben')])).status, 403);
    assert.equal((await look(they.root, c.id)).body.session_id, c.id);
    assert.equal((await act(a.cookie, 'LogoutOtherSessions', [{ username: 'ann', auth_scheme: 'up' }])).body.session_id, a.id);
    assert.deepEqual([(await look(they.root, a.id)).body?.session_id, (await look(they.root, b.id)).body], [a.id, null]);
    const all = await act(they.root, 'LogoutAllSessions', [up('ann'), up('ben')]);
    assert.equal(all.body.session_id, a.id);
    for (const { id } of [a, c]) assert.equal((await look(they.root, id)).body, null);
    assert.equal((await act(they.root, 'LogoutAllSessions', [])).body, null);
    const d = await login('ann');
    const bad = await server.ask('POST', `/sessions/${d.id}`, {
      cookie: d.cookie,
      body: { authenticated_clients: [{ username: 'ann', auth_scheme: 'nope' }], sessions_action: 'LogoutAllSessions' },
    });
    assert.equal(bad.status, 400);
  });

  test(name('an app token that may read sessions looks with GET and POST alike, and ends none'), async () => {
    const a = await login('ann');
    const token = async (role: string, policies: string[]) => {
      const body = { bind_secret_id: false, token_policies: policies };
      assert.equal((await server.ask('POST', `/auth/approle/role/${role}`, { cookie: they.root, body })).status, 204);
      const { role_id } = (await server.ask('GET', `/auth/approle/role/${role}/role-id`, { cookie: they.root })).body.data;
      return { 'x-app-token': (await server.ask('POST', '/auth/approle/login', { body: { role_id } })).body.auth.client_token as string };
    };
    const ask = (headers: Record<string, string>, sessions_action: string | null = null, clients = [up('ann')]) =>
      server.ask('POST', `/sessions/${a.id}`, { headers, body: { authenticated_clients: clients, sessions_action } });
    const [reader, stranger] = [await token('reader', ['sessions:read:r']), await token('stranger', ['sessions:read:other'])];
    const seen = await ask(reader);
    assert.deepEqual([seen.status, seen.body], [200, (await server.ask('GET', `/sessions/${a.id}`, { headers: reader })).body]);
    assert.deepEqual([seen.body.session_id, seen.body.cookie_string], [a.id, '']);
    assert.equal((await ask(stranger)).body, null);
    for (const action of ['LogoutOtherSessions', 'LogoutAllSessions']) {
      assert.equal((await ask(reader, action)).status, 403, action);
      assert.equal((await ask(reader, action, [])).status, 403, action);
      assert.equal((await ask(stranger, action)).body, null, action);
    }
    assert.equal((await look(a.cookie, a.id)).body.session_id, a.id);
    assert.equal((await ask({ 'x-app-token': `hvs.${'x'.repeat(43)}` })).status, 401);
  });

  test(name('POST /sessions/realms/{realm_id}/clients: an array, or an object with it; only those who administer, or oneself'), async () => {
    const [a, b] = [await login('ann'), await login('ben')];
    const list = (cookie: string, body: unknown) => server.ask('POST', '/sessions/realms/r/clients', { cookie, body });
    const both = await list(they.root, [up('ann'), up('ben'), up('nobody')]);
    assert.ok(both.body.session_ids.includes(a.id) && both.body.session_ids.includes(b.id));
    assert.deepEqual((await list(they.root, { authenticated_clients: [up('nobody')] })).body, { session_ids: [] });
    assert.ok((await list(a.cookie, [up('ann')])).body.session_ids.includes(a.id));
    assert.deepEqual([(await list(a.cookie, [up('ben')])).status, (await list(eve, [up('ann')])).status], [403, 403]);
    assert.equal((await list(they.root, [{ username: 'ann' }])).status, 400);
  });

  test(name("DELETE /sessions ends own and administered ones, and others' count as missing"), async () => {
    const [a, b] = [await login('ann'), await login('ben')];
    const end = (cookie: string, session_ids: string[]) => server.ask('DELETE', '/sessions', { cookie, body: { session_ids } });
    assert.equal((await end(b.cookie, [a.id])).status, 204);
    assert.equal((await end(eve, [a.id])).status, 204);
    assert.equal((await look(a.cookie, a.id)).body.session_id, a.id);
    assert.equal((await end(they.root, [])).status, 204);
    assert.equal((await end(they.root, [a.id, b.id, 'missing'])).status, 204);
    for (const { cookie } of [a, b]) assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 401);
  });

  test(name('a session id in capitals names the same session, where sessions are looked up and where they end'), async () => {
    const [a, b] = [await login('ann'), await login('ann')];
    const capitals = a.id.toUpperCase();
    assert.deepEqual((await look(a.cookie, capitals)).body, (await look(a.cookie, a.id)).body);
    const act = { authenticated_clients: [up('ann')], sessions_action: 'LogoutOtherSessions' };
    assert.equal((await server.ask('POST', `/sessions/${capitals}`, { cookie: a.cookie, body: act })).body.session_id, a.id);
    assert.deepEqual([(await look(they.root, a.id)).body.session_id, (await look(they.root, b.id)).body], [a.id, null]);
    assert.equal((await server.ask('DELETE', '/sessions', { cookie: a.cookie, body: { session_ids: [capitals, a.id] } })).status, 204);
    assert.equal((await server.ask('GET', '/whoami', { cookie: a.cookie })).status, 401);
  });

  test(name('DELETE /sessions/realms/{realm_id} and DELETE /sessions/expired: 204, and who may'), async () => {
    const a = await login('ann');
    const del = (cookie: string, path: string) => server.ask('DELETE', path, { cookie });
    assert.deepEqual([(await del(eve, '/sessions/realms/r')).status, (await del(a.cookie, '/sessions/realms/r')).status], [403, 403]);
    assert.equal((await del(they.root, '/sessions/realms/r')).status, 204);
    assert.equal((await server.ask('GET', '/whoami', { cookie: a.cookie })).status, 401);
    assert.equal((await server.ask('GET', '/whoami', { cookie: eve })).status, 200);
    assert.deepEqual([(await del(eve, '/sessions/expired')).status, (await del(they.root, '/sessions/expired')).status], [403, 204]);
    await server.ask('PUT', '/admins/realms/r', { cookie: they.root, body: { session_max_age_seconds: 60, session_max_stale_age_seconds: 60 } });
    const brief = await login('ann');
    assert.equal((await server.ask('GET', '/whoami', { cookie: brief.cookie })).status, 200);
    await server.runtime.advance(60_500);
    assert.equal((await server.ask('GET', '/whoami', { cookie: brief.cookie })).status, 401);
    assert.equal((await look(they.root, brief.id)).body, null);
    assert.equal((await del(they.root, '/sessions/expired')).status, 204);
    await server.ask('PUT', '/admins/realms/r', { cookie: they.root, body: {} });
  });

  test(name('POST /sessions/introspect: the session and its claims for those who may, else null'), async () => {
    const a = await login('ann');
    const introspect = (caller: string, cookie: string) => server.ask('POST', '/sessions/introspect', { cookie: caller, body: { cookie } });
    const seen = await introspect(they.root, a.cookie);
    assert.deepEqual([seen.body.session_id, seen.body.cookie_string, seen.body.claims.sub, seen.body.claims.team], [a.id, '', 'ann', 'ann']);
    assert.deepEqual(
      [
        (await introspect(eve, a.cookie)).body,
        (await introspect(they.root, 'nonsense')).body,
        (
          await introspect(
            they.root,
            a.cookie.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')),
          )
        ).body,
      ],
      [null, null, null],
    );
    assert.equal((await introspect(a.cookie, a.cookie)).body.cookie_string, a.cookie);
  });

  test(name('POST /certify: an ES256 certificate of its own key, with the claims asked for and no others'), async () => {
    const a = await login('ann');
    const certify = (body: unknown, query = '') => server.ask('POST', `/certify${query}`, { cookie: a.cookie, body });
    const { status, body } = await certify({ verification_key: PEM, claims: ['team', 'absent'] });
    assert.equal(status, 200);
    const keys = await server.ask('GET', '/.well-known/certificate-jwks.json');
    assert.deepEqual(Object.keys(keys.body.keys[0]).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    const { payload } = await jwtVerify(body.certificate, createLocalJWKSet(keys.body), { currentDate: new Date(server.clock.now()) });
    const { iat, exp, ...claims } = payload;
    assert.deepEqual(claims, { realm_id: 'r', sub: 'ann', auth_scheme: 'up', verification_key: PEM, team: 'ann' });
    assert.equal((exp as number) - (iat as number), 31_536_000);
    assert.equal(decodeProtectedHeader(body.certificate).alg, 'ES256');
    const anonymous = await certify({ verification_key: PEM, claims: ['team'], exclude_sub: true });
    assert.ok(!('sub' in (await jwtVerify(anonymous.body.certificate, createLocalJWKSet(keys.body), { currentDate: new Date(server.clock.now()) })).payload));
    // To the byte: somebody may compare what is certified with what they have.
    const filled = (bytes: number) => PEM.replace('AAAA', (middle) => middle.padEnd(middle.length + bytes - PEM.length, 'A'));
    for (const key of [
      `${PEM}\n`,
      `\n  ${PEM}\r\n\t`,
      PEM.replaceAll('PUBLIC KEY', 'PGP PUBLIC KEY BLOCK'),
      `é\u0301 before, no PRIVATE KEY\n${PEM}\nand after \u{1f511}\n\n`,
      filled(8_192),
    ]) {
      const { payload: kept } = await jwtVerify((await certify({ verification_key: key })).body.certificate, createLocalJWKSet(keys.body), {
        currentDate: new Date(server.clock.now()),
      });
      assert.equal(kept['verification_key'], key);
    }
    for (const wrong of [
      {},
      { verification_key: filled(8_193) },
      { verification_key: `${filled(8_191)}é` },
      { verification_key: ' ' },
      { verification_key: 'not pem' },
      { verification_key: PEM.replace('END PUBLIC', 'END RSA PUBLIC') },
      { verification_key: PEM.replace('END PUBLIC KEY', 'END CERTIFICATE') },
      ...['', 'EC ', 'RSA ', 'ENCRYPTED ', 'OPENSSH ', 'SOME-'].map((kind) => ({ verification_key: `${PEM}\n${PEM.replaceAll('PUBLIC', `${kind}PRIVATE`)}` })),
      ...['PGP PRIVATE KEY BLOCK', 'PGP SECRET KEY BLOCK', 'Private Key'].flatMap((label) => {
        const key = PEM.replaceAll('PUBLIC KEY', label);
        return [{ verification_key: key }, { verification_key: `${PEM}\n${key}` }];
      }),
      { verification_key: `${PEM}${'x'.repeat(8_200)}` },
      { verification_key: PEM, claims: ['sub'] },
      { verification_key: PEM, claims: ['as_registrant'] },
      { verification_key: PEM, exclude_sub: true },
      { verification_key: PEM, exclude_sub: true, claims: ['absent'] },
    ]) {
      assert.equal((await certify(wrong)).status, 400, JSON.stringify(wrong).slice(0, 80));
    }
    assert.equal((await certify({ verification_key: PEM }, '?realm=other')).status, 401);
    assert.equal((await server.ask('POST', '/certify', { body: { verification_key: PEM } })).status, 401);
    assert.equal((await server.ask('GET', '/.well-known/jwks.json')).status, 404);
  });

  test(name('GET /audit: who did what, in order, by pages, for those who administer; streams are chained'), async () => {
    const audit = (cookie: string, query = '') => server.ask('GET', `/audit${query}`, { cookie });
    assert.deepEqual(
      [
        (await audit(eve)).status,
        (await audit(eve, '?realm=r')).status,
        (await audit(eve, '?realm=other')).status,
        (await audit((await login('ann')).cookie, '?realm=r')).status,
      ],
      [403, 403, 200, 403],
    );
    const rows: AuditRow[] = [];
    let after = '';
    for (let page = 0; page < 50; page++) {
      const { body } = await audit(they.root, `?limit=7${after}`);
      rows.push(...body.events);
      if (body.next === null) break;
      after = `&after=${body.next}`;
    }
    assert.ok(rows.length > 30);
    assert.deepEqual(
      rows.map(({ time }) => time),
      rows.map(({ time }) => time).sort((x, y) => x - y),
    );
    for (const stream of new Set(rows.map((row) => row.stream))) {
      const own = rows.filter((row) => row.stream === stream).sort((x, y) => x.seq - y.seq);
      own.forEach((row, index) => {
        assert.equal(row.seq, index + 1);
        assert.equal(row.prev, index === 0 ? '' : auditHash(own[index - 1] as AuditRow));
      });
    }
    for (const event of [
      'login',
      'session.end',
      'session.end_realm',
      'realm.create',
      'admin.create',
      'credential.create',
      'certify',
      'first_start',
      'password.change',
    ])
      assert.ok(
        rows.some((row) => row.event === event),
        event,
      );
    const matching = (filter: (row: AuditRow) => boolean) => rows.filter(filter).map(({ stream, seq }) => `${stream} ${seq}`);
    for (const [query, filter] of [
      ['event=login&actor=ann', ({ event, actor }: AuditRow) => event === 'login' && actor === 'ann'],
      ['actor=_%2Fadmin', ({ actor }: AuditRow) => actor === '_/admin'],
      ['realm=r', ({ realm }: AuditRow) => realm === 'r'],
      ['event=session.end', ({ event }: AuditRow) => event === 'session.end'],
    ] as const) {
      const expected = matching(filter);
      const found = (await audit(they.root, `?limit=1000&${query}`)).body.events.map(({ stream, seq }: AuditRow) => `${stream} ${seq}`);
      assert.ok(expected.length > 0, query);
      assert.deepEqual(found, expected, query);
    }
    assert.ok(!JSON.stringify(rows).includes('ann password'));
    assert.deepEqual([(await audit(they.root, '?limit=0')).status, (await audit(they.root, '?after=x')).status], [400, 400]);
    await server.end();
  });
}

// covers: GET /.well-known/jwks.json
// covers: GET /.well-known/certificate-jwks.json
test('certificate signing off: POST /certify 500, no key set; session keys and whoami token as configured', async () => {
  const server = await startServer({ config: '[auth]\ncertificate_signing = false\npublish_session_jwks = true\n' });
  const cookie = await signInAdmin(server);
  const refused = await server.ask('POST', '/certify', { cookie, body: { verification_key: PEM } });
  assert.deepEqual([refused.status, refused.body.code], [500, 'AUTH_CERTIFY_OFF']);
  assert.equal((await server.ask('POST', '/certify', { cookie, body: {} })).status, 400);
  assert.equal((await server.ask('GET', '/.well-known/certificate-jwks.json')).status, 404);
  const keys = (await server.ask('GET', '/.well-known/jwks.json')).body;
  const token = await server.ask('GET', '/whoami', { cookie, headers: { accept: 'application/jwt' } });
  assert.equal(token.headers['content-type'], 'application/jwt');
  for (const accept of ['application/jwt;q=0, application/json', 'application/jwt;q=0.1, */*', 'text/html, application/jwt-like'])
    assert.match(String((await server.ask('GET', '/whoami', { cookie, headers: { accept } })).headers['content-type']), /json/, accept);
  const { payload } = await jwtVerify(token.text, createLocalJWKSet(keys), { currentDate: new Date(server.clock.now()) });
  assert.equal(payload.sub, 'admin');
  await server.end();
});

test('signing keys rotate, and an old public key stays until nothing it signed can be valid', async () => {
  const server = await startServer();
  const cookie = await signInAdmin(server);
  const kids = async () => (await server.ask('GET', '/.well-known/certificate-jwks.json')).body.keys.map(({ kid }: { kid: string }) => kid) as string[];
  await server.ask('POST', '/certify', { cookie, body: { verification_key: PEM } });
  const [first] = await kids();
  const day = 86_400_000;
  await server.runtime.advance(91 * day);
  const rotated = async () => (await kids()).length === 2;
  for (let tried = 0; tried < 200 && !(await rotated()); tried++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok((await kids()).includes(first as string));
  assert.equal((await kids()).length, 2);
  const again = (await server.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).cookie as string;
  const { body } = await server.ask('POST', '/certify', { cookie: again, body: { verification_key: PEM } });
  assert.notEqual(decodeProtectedHeader(body.certificate).kid, first);
  await server.runtime.advance(370 * day);
  for (let tried = 0; tried < 200 && (await kids()).includes(first as string); tried++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(!(await kids()).includes(first as string));
  await server.end();
});

test('audit rows past their retention go, others stay, and the newest of each stream links to the next', async () => {
  const server = await startServer({ config: '[audit]\nretention_days = 30\n' });
  const day = 86_400_000;
  const signIn = async () => (await server.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).cookie as string;
  const rows = async (cookie: string) => (await server.ask('GET', '/audit?limit=1000', { cookie })).body.events as AuditRow[];
  await signInAdmin(server);
  await server.runtime.advance(20 * day);
  const before = await rows(await signIn());
  assert.ok(before.some(({ event }) => event === 'first_start'));
  await server.runtime.advance(11 * day);
  const cookie = await signIn();
  await until(async () => !(await rows(cookie)).some(({ event }) => event === 'first_start'), 'the first row goes');
  const after = await rows(cookie);
  const limit = server.clock.now() - 30 * day;
  assert.ok(
    after.some(({ time }) => time < server.clock.now() - 10 * day && time >= limit),
    'rows of twenty days ago stay',
  );
  for (const stream of new Set(after.map((row) => row.stream))) {
    const own = after.filter((row) => row.stream === stream).sort((x, y) => x.seq - y.seq);
    for (const old of own.slice(0, -1)) assert.ok(old.time >= limit, `${old.event} is too old`);
    for (const [index, row] of own.slice(1).entries()) assert.equal(row.prev, auditHash(own[index] as AuditRow));
  }
  await server.end();
});

test('--reset-admin gives the admin a new password, drops second factor and locks, and is audited', async () => {
  const server = await startServer();
  const they = people(server, await signInAdmin(server));
  await they.enrol('_', 'admin', they.root);
  await server.stop();
  const again = await startServer({ dataDir: server.dataDir, argv: ['--reset-admin'] });
  assert.ok(again.announcements[0]?.includes(again.initialPassword) && again.initialPassword !== '');
  assert.equal((await again.ask('GET', '/whoami', { cookie: they.root })).status, 401);
  assert.equal((await again.ask('POST', '/login?realm=_', { user: `admin:${again.initialPassword}` })).body.next_step, 'ChangePassword');
  const root = await signInAdmin(again, 'third password');
  assert.equal((await again.ask('GET', '/audit?event=admin.reset', { cookie: root })).body.events.length, 1);
  assert.equal((await again.ask('GET', '/admins', { cookie: root })).status, 200);
  await again.end();
  await server.end();
});

test('--reset-admin to a password of the environment removes the file of the initial one', async () => {
  const server = await startServer();
  assert.notEqual(server.initialPassword, '');
  await server.stop();
  const again = await startServer({ dataDir: server.dataDir, argv: ['--reset-admin'], env: { GATEHOUSE_ADMIN_PASSWORD: 'from the variable' } });
  assert.equal(again.initialPassword, '');
  assert.equal((await again.ask('POST', '/login?realm=_', { user: 'admin:from the variable' })).body.next_step, 'ChangePassword');
  await again.end();
  await server.end();
});

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
