// Two nodes on one PostgreSQL cache what they read: they ask nothing twice, and what one has revoked the other refuses, also while it hears nothing.
// GATEHOUSE_REVOCATIONS=1000 revokes as many of each kind in each way.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { test } from 'uvu';
import { type Postgres, startPostgres } from '../postgres.ts';
import { type PostgresProxy, postgresProxy } from '../postgres-proxy.ts';
import { until } from '../runtime.ts';
import { type Answer, signInAdmin, startServer, type TestServer } from '../server.ts';
import { skipWithout } from '../system.ts';

/** Of each kind and in each way; those during an outage that takes seconds each are fewer. */
const REVOCATIONS = Number(process.env['GATEHOUSE_REVOCATIONS'] ?? 24);
const AT_ONCE = 4;
const PASSWORD = 'a new password';
/** A lease ends after this time, and with it every wait. */
const LEASE_MS = 3_500;

async function ok(answer: Promise<Answer>): Promise<Answer> {
  const { status, text } = await answer;
  assert.ok(status < 300, `${status} ${text}`);
  return answer;
}

if (!skipWithout('postgresql')) {
  let postgres: Postgres;
  let proxy: PostgresProxy;
  let admin: pg.Client;
  let one: TestServer;
  let other: TestServer;
  let cookie: string;
  let roleId: string;
  const root = randomBytes(32).toString('hex');
  const start = (address: string) => startServer({ config: `[store]\nurl = "${address}"\nroot_key = "${root}"\n` });

  const isTrusted = async ({ ask }: TestServer) => /^gatehouse_cache_trusted 1$/m.test((await ask('GET', '/metrics')).text);
  const bothTrust = () => until(async () => (await isTrusted(one)) && (await isTrusted(other)), 'both nodes trust their caches', 15_000);

  test.before(async () => {
    postgres = await startPostgres();
    const url = await postgres.database();
    proxy = await postgresProxy(url);
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
    one = await start(url);
    other = await start(proxy.url);
    cookie = await signInAdmin(one, PASSWORD);
    await ok(one.ask('POST', '/auth/approle/role/both', { cookie, body: { bind_secret_id: false } }));
    roleId = (await ok(one.ask('GET', '/auth/approle/role/both/role-id', { cookie }))).body.data.role_id;
    await bothTrust();
  });
  test.after(async () => {
    await Promise.all([one, other].map((server) => server?.end()));
    await admin?.end();
    await proxy?.close();
    await postgres?.stop();
  });

  /** Makes one of each, has both nodes use them, and returns how to revoke them through `by` and to use them through `at`. */
  async function makeAll(by: TestServer, at: TestServer) {
    const login = await ok(by.ask('POST', '/login?realm=_', { user: `admin:${PASSWORD}` }));
    const token = (await ok(at.ask('POST', '/auth/approle/login', { body: { role_id: roleId } }))).body.auth.client_token;
    const kid = (await ok(by.ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } }))).body.kid;
    const headers = { 'x-app-token': token };
    const uses = [
      () => at.ask('GET', '/whoami', { cookie: login.cookie }),
      () => at.ask('GET', '/auth/token/lookup-self', { headers }),
      () => at.ask('POST', '/v1/crypto/encrypt', { cookie, body: { kid, alg: 'dir', enc: 'A256GCM', data: 'AAAA' } }),
    ];
    const revocations = [
      () => by.ask('DELETE', '/sessions', { cookie, body: { session_ids: [login.body.session_id] } }),
      () => by.ask('POST', '/auth/token/revoke-self', { headers }),
      () => by.ask('DELETE', `/v1/crypto/keys/${kid}`, { cookie }),
    ];
    for (const use of [...uses, ...uses]) await ok(use());
    return { uses, revocations };
  }

  /** @returns how long the revocations took, in milliseconds */
  async function revokeOne(by: TestServer, at: TestServer): Promise<number[]> {
    const { uses, revocations } = await makeAll(by, at);
    return Promise.all(
      revocations.map(async (revoke, kind) => {
        const begin = performance.now();
        await ok(revoke());
        const took = performance.now() - begin;
        const { status, text } = await (uses[kind] as () => Promise<Answer>)();
        assert.equal(status, [401, 403, 404][kind], `kind ${kind}: ${text}`);
        return took;
      }),
    );
  }

  async function revokeMany(count: number): Promise<number[]> {
    const took: number[] = [];
    for (let done = 0; done < count; done += AT_ONCE)
      took.push(...(await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => (at % 2 === 0 ? revokeOne(one, other) : revokeOne(other, one))))).flat());
    return took.sort((a, b) => a - b);
  }

  test('reads ask the database nothing while nothing changes', async () => {
    const { uses } = await makeAll(one, other);
    const losses = () => other.lines.filter(({ msg }) => String(msg).startsWith('nothing is cached')).length;
    for (;;) {
      await bothTrust();
      for (const use of uses) await ok(use());
      const [before, lost] = [proxy.asked(), losses()];
      for (let at = 0; at < 20; at++) for (const use of uses) await ok(use());
      // A busy machine may keep a node from renewing its lease in time.
      if (losses() !== lost) continue;
      assert.equal(proxy.asked() - before, 0);
      break;
    }
    const failed = [one, other].flatMap(({ lines }) => lines.filter(({ msg }) => /beside/.test(String(msg))));
    assert.deepEqual(failed, [], 'parts of actors beside the front serve it');
  });

  test('what one node has revoked the other refuses at once', async () => {
    const took = await revokeMany(REVOCATIONS);
    assert.ok((took[took.length >> 1] as number) < LEASE_MS / 4, `half of them took ${took[took.length >> 1]} ms`);
  });

  test('as well while the connections that listen are cut again and again', async () => {
    let cuts = 0;
    const timer = setInterval(async () => {
      const { rows } = await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gatehouse lease'");
      cuts += rows.length;
    }, 400);
    // Those of both nodes, twice.
    while (cuts < 4) await revokeMany(Math.ceil(REVOCATIONS / 4));
    clearInterval(timer);
    await bothTrust();
  });

  test('a node behind a pooler caches nothing and says so, and the others refuse what it revokes', async () => {
    const pooler = await postgresProxy(proxy.url, true);
    const third = await start(pooler.url);
    assert.ok(third.lines.some(({ msg }) => String(msg).includes('pooler')));
    assert.equal(await isTrusted(third), false);
    await revokeOne(third, one);
    await third.end();
    await pooler.close();
  });

  test('as well while a node hears nothing: the answer waits until its lease has ended', async () => {
    const rounds = Math.ceil(REVOCATIONS / 40);
    for (let round = 1; round <= rounds; round++) {
      const all = await Promise.all([makeAll(one, other), makeAll(one, other)]);
      proxy.hold(true);
      const began = performance.now();
      const answered = await Promise.all(
        all.flatMap(({ revocations, uses }) =>
          revocations.map(async (revoke, kind) => {
            await ok(revoke());
            const tookMs = performance.now() - began;
            const { status, text } = await (uses[kind] as () => Promise<Answer>)();
            assert.equal(status, [401, 403, 404][kind], `kind ${kind}: ${text}`);
            return tookMs;
          }),
        ),
      );
      // The node had trusted its caches, so a quick answer would have been too early.
      assert.ok(Math.min(...answered) > 1_000, `answered after ${Math.min(...answered)} ms`);
      assert.equal(await isTrusted(other), false);
      // It is no longer waited for.
      const { revocations } = await makeAll(one, other);
      const begin = performance.now();
      for (const revoke of revocations) await ok(revoke());
      assert.ok(performance.now() - begin < LEASE_MS, `three revocations took ${performance.now() - begin} ms`);
      proxy.hold(false);
      if (round < rounds) await bothTrust();
    }
  });
}

test.run();
