// A database that fails over: /ready says that it takes no writes, and the standby has every session and none that was ended once it is promoted.
import assert from 'node:assert/strict';
import pg from 'pg';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { openStore } from '../../../kernel/store/open.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { openWire, type Wire } from '../../../soak/wire.ts';
import { type Postgres, startPostgres } from '../../postgres.ts';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';
import { skipWithout } from '../../system.ts';

const TOLD_MS = 5_000;
/** The new server ends its recovery first. */
const BACK_MS = 20_000;
const SYNCHRONOUS_MS = 30_000;
const WRITES = 20;

if (!skipWithout('postgresql')) {
  let postgres: Postgres;
  let wire: Wire;
  let server: TestServer | undefined;
  test.before(async () => {
    postgres = await startPostgres();
    wire = await openWire(await postgres.database());
  });
  test.after(async () => {
    await server?.end();
    await wire?.close();
    await postgres?.stop();
  });

  test('a server is lost, its standby takes no writes at first and is promoted then', async () => {
    server = await startServer({ config: `[store]\nurl = "${wire.url}"\n` });
    const { ask } = server;
    const cookie = await signInAdmin(server);
    const store = await openStore(wire.url, { writer: 'test/refused', clock: createClock() });
    const standby = await postgres.standby();
    await follow(postgres);
    const [kept, ended] = await Promise.all([signIn(server), signIn(server)]);
    assert.equal((await ask('DELETE', '/sessions', { cookie, body: { session_ids: [ended.id] } })).status, 204);
    await postgres.crash();
    wire.lead(standby.port);
    wire.hangUp();
    await until(async () => (await ask('GET', '/ready')).text.includes('the database is read-only'), '/ready says that it takes no writes', TOLD_MS);
    assert.notEqual((await ask('GET', '/whoami', { cookie: ended.cookie })).status, 200);
    assert.deepEqual(await connectionsLeft(store, standby.port), 0, 'a refused write leaves no connection at the standby');
    await standby.promote();
    await until(async () => (await ask('GET', '/ready')).status === 200, '/ready is well again', BACK_MS);
    assert.equal((await ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } })).status, 200);
    const [seen, refused] = [await ask('GET', '/whoami', { cookie: kept.cookie }), await ask('GET', '/whoami', { cookie: ended.cookie })];
    assert.deepEqual([seen.status, refused.status], [200, 401]);
    await store.close();
  });
}

async function signIn({ ask }: TestServer): Promise<{ readonly id: string; readonly cookie: string }> {
  const { body, cookie } = await ask('POST', '/login?realm=_', { user: 'admin:a new password' });
  return { id: body.session_id, cookie: cookie as string };
}

/** A node whose sessions and tokens are cached goes on to write. @returns number of connections to the standby after its refusals */
async function connectionsLeft(store: Store, port: number): Promise<number> {
  for (let at = 0; at < WRITES; at++)
    await assert.rejects(
      store.transaction((tx) => tx.run('DELETE FROM node_lease')),
      { code: 'UNAVAILABLE' },
    );
  const client = new pg.Client({ connectionString: `postgres://gatehouse@127.0.0.1:${port}/postgres` });
  await client.connect();
  const count = async () => {
    const { rows } = await client.query<{ count: number }>("SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'gatehouse'");
    return rows[0]?.count as number;
  };
  await until(async () => (await count()) === 0, 'connections have ended', TOLD_MS).catch(() => {});
  const left = await count();
  await client.end();
  return left;
}

/** From now on what was committed is on both. */
async function follow(postgres: Postgres): Promise<void> {
  const client = new pg.Client({ connectionString: `postgres://gatehouse@127.0.0.1:${postgres.port()}/postgres` });
  client.on('error', () => {});
  await client.connect();
  await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await client.query('SELECT pg_reload_conf()');
  const isThere = async () => (await client.query("SELECT FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'")).rows.length > 0;
  await until(isThere, 'the standby follows', SYNCHRONOUS_MS);
  await client.end();
}

test.run();
