// What refusals leave in the audit log of a running server: bounded texts, a bounded number of rows, and a chain that holds; on both databases.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { AnySpec } from '../../kernel/actor.ts';
import { type AnyPlugin, definePlugin } from '../../kernel/plugin.ts';
import { type AuditRow, auditHash } from '../../kernel/store/audit.ts';
import auth from '../../plugins/auth/plugin.ts';
import { BUILT_IN } from '../../plugins/index.ts';
import { people } from '../people.ts';
import { until } from '../runtime.ts';
import { type Answer, signInAdmin, startServer, type TestServer } from '../server.ts';
import { testDatabases } from '../stores.ts';

const SOURCE_BURST = 200;
const PEM = '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----';

/** Hundreds of sign-ins are made here: only the cost of the password hash is put aside. */
const quick = definePlugin({
  ...auth,
  actors: (config, ...kernel) => {
    const actors = auth.actors?.(config as never, ...kernel) as unknown as Record<string, AnySpec>;
    return { ...actors, password: { ...actors['password'], module: new URL('../fakes/quick-password.actor.ts', import.meta.url) } as AnySpec } as never;
  },
});
const QUICK = BUILT_IN.map((plugin) => (plugin.name === 'auth' ? quick : plugin)) as readonly AnyPlugin[];

const databases = await testDatabases();
const servers: TestServer[] = [];
test.after(async () => {
  for (const server of servers) await server.end();
  for (const database of databases) await database.stop();
});

async function start(url: string): Promise<{ server: TestServer; cookie: string; rows: (query?: string) => Promise<AuditRow[]> }> {
  // SQLite's file is in the data folder.
  const store = url.startsWith('sqlite:') ? '' : `[store]\nurl = ${JSON.stringify(url)}\n`;
  const server = await startServer({ plugins: QUICK, config: `[http]\ntrusted_proxies = ["127.0.0.1"]\n${store}` });
  servers.push(server);
  const cookie = await signInAdmin(server);
  const rows = async (query = '') => {
    const all: AuditRow[] = [];
    for (let after = ''; ; ) {
      const { body } = await server.ask('GET', `/audit?limit=1000${query}${after}`, { cookie });
      all.push(...body.events);
      if (body.next === null) return all;
      after = `&after=${encodeURIComponent(body.next)}`;
    }
  };
  return { server, cookie, rows };
}

function requireChains(rows: readonly AuditRow[]): void {
  const streams = new Map<string, AuditRow[]>();
  for (const row of [...rows].sort((a, b) => a.seq - b.seq)) streams.set(row.stream, [...(streams.get(row.stream) ?? []), row]);
  assert.ok(streams.size >= 2);
  for (const [stream, chain] of streams)
    chain.forEach((row, at) => {
      assert.deepEqual([row.seq, row.prev], [at + 1, at === 0 ? '' : auditHash(chain[at - 1] as AuditRow)], stream);
    });
}

for (const { dialect, url } of databases) {
  test(`${dialect}: no realm that is none is stored, and no control character`, async () => {
    const { server, cookie, rows } = await start(await url());
    const status = async (realm: string) => (await server.ask('POST', `/login?realm=${encodeURIComponent(realm)}`)).status;
    assert.deepEqual(
      [await status('r'.repeat(15_000)), await status('r'.repeat(64)), await status('a\u0000\u001b[2Jb'), await status('my pass: word')],
      [400, 401, 401, 401],
    );
    const get = { tag: 'Get', value: [{ tag: 'UniqueIdentifier', type: 'TextString', value: 'a\u001b[2J\u202eb' }] };
    assert.equal((await server.ask('POST', '/kmip/2_1', { cookie, body: get })).status, 422);
    const all = await rows();
    assert.deepEqual(
      all.filter(({ event, outcome }) => event === 'login' && outcome === 'refused').map(({ realm }) => realm),
      ['r'.repeat(64), null, null],
    );
    assert.deepEqual(
      all.filter(({ event }) => event === 'key.Get').map(({ target }) => target),
      ['a\ufffd[2J\ufffdb'],
    );
    for (const text of all.flatMap((row) => Object.values(row))) if (typeof text === 'string') assert.ok(text.length < 1_200 && !/\p{Cc}/u.test(text), text);
    requireChains(all);
  });

  test(`${dialect}: a caller refused again and again writes a limited number of rows; others and changes keep theirs`, async () => {
    const { server, rows } = await start(await url());
    const refused = (source: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => server.ask('POST', '/login?realm=r', { headers: { 'x-forwarded-for': source } })));
    for (const { status } of await refused('203.0.113.9', 350)) assert.equal(status, 401);
    await refused('203.0.113.10', 2);
    const signedIn = await server.ask('POST', '/login?realm=_', { user: 'admin:a new password', headers: { 'x-forwarded-for': '203.0.113.9' } });
    assert.equal(signedIn.body.next_step, 'Authenticated');
    const from = async (source: string) => (await rows()).filter((row) => row.source === source);
    const ours = await from('203.0.113.9');
    const written = ours.filter(({ outcome }) => outcome === 'refused').length;
    // One more in five seconds, on a machine that is busy.
    assert.ok(written >= SOURCE_BURST && written <= SOURCE_BURST + 20, `${written}`);
    assert.equal(ours.filter(({ outcome }) => outcome === 'success').length, 1);
    assert.equal((await from('203.0.113.10')).length, 2);
    await server.runtime.advance(61_000);
    // On a machine that is busy a minute may pass meanwhile: then there are two.
    const told = async () => (await rows('&event=audit.suppressed')).reduce((sum, { target }) => sum + Number.parseInt(target as string, 10), 0);
    await until(async () => (await told()) === 350 - written, 'all that was left out is summed up');
    for (const sum of await rows('&event=audit.suppressed')) assert.deepEqual([sum.source, sum.request_id], ['203.0.113.9', null]);
    requireChains(await rows());
  });

  test(`${dialect}: every failure that counts towards a lock has its row, from one source and from many`, async () => {
    const { server, cookie, rows } = await start(await url());
    const they = people(server, cookie);
    await they.realm('r');
    await they.user('r', 'ann', 'ann password');
    const fail = async (source: string) =>
      (await server.ask('POST', '/login?realm=r', { user: 'ann:wrong password', headers: { 'x-forwarded-for': source } })).status;
    for (let host = 1; host <= 11; host++) for (let tried = 0; tried < 5; tried++) assert.equal(await fail(`198.51.100.${host}`), 401);
    const failures = (await rows('&actor=ann')).filter(({ event, outcome }) => event === 'login' && outcome === 'refused');
    assert.equal(failures.length, 55);
    assert.ok((await rows('&event=lockout')).some(({ target }) => target === 'password *'));
  });

  test(`${dialect}: the source of every row is the network that limits count, whoever writes it`, async () => {
    const { server, cookie, rows } = await start(await url());
    const ask = (method: 'GET' | 'POST' | 'DELETE', path: string, options: object = {}) =>
      server.ask(method, path, { headers: { 'x-forwarded-for': '2001:db8:1:2:3:4:5:6' }, ...options });
    const ok = async (answer: Promise<Answer>, status = 200): Promise<Answer> => {
      const { status: got, text } = await answer;
      assert.equal(got, status, text);
      return answer;
    };
    await ok(ask('POST', '/auth/approle/role/web', { cookie, body: { token_renewable: true, token_ttl: 60 } }), 204);
    const id = (await ok(ask('GET', '/auth/approle/role/web/role-id', { cookie }))).body.data.role_id;
    const secret = (await ok(ask('POST', '/auth/approle/role/web/secret-id', { cookie, body: { num_uses: 9 } }))).body.data.secret_id;
    const login = (secret_id: string) => ask('POST', '/auth/approle/login', { body: { role_id: id, secret_id } });
    const token = (await ok(login(secret))).body.auth.client_token;
    assert.ok((await login('wrong')).status >= 400);
    const own = { headers: { 'x-forwarded-for': '2001:db8:1:2::7', 'x-vault-token': token } };
    await ok(server.ask('POST', '/auth/token/renew-self', own));
    await ok(server.ask('POST', '/auth/token/revoke-self', own), 204);
    assert.ok((await ask('POST', '/auth/cluster/login', { body: { role: 'none', jwt: 'x.y.z' } })).status >= 400);
    await ok(ask('DELETE', '/auth/approle/role/web', { cookie }), 204);
    await ok(ask('POST', '/certify', { cookie, body: { verification_key: PEM, claims: [] } }));
    const known = await rows();
    const events = [
      'approle.put',
      'secret_id.create',
      'secret_id.use',
      'approle.login',
      'token.renew',
      'token.revoke',
      'cluster.login',
      'approle.delete',
      'certify',
    ];
    for (const event of events) {
      const sources = known.filter((row) => row.event === event).map(({ source }) => source);
      assert.deepEqual([...new Set(sources)], ['2001:db8:1:2::/64'], event);
    }
  });
}

test.run();
