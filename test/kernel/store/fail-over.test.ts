// A database that fails over: /ready says that it takes no writes, and the standby has every session and none that was ended once it is promoted.
import assert from 'node:assert/strict';
import pg from 'pg';
import { test } from 'uvu';
import { openWire, type Wire } from '../../../soak/wire.ts';
import { type Postgres, startPostgres } from '../../postgres.ts';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';
import { skipWithout } from '../../system.ts';

const TOLD_MS = 5_000;
/** The new server ends its recovery first. */
const BACK_MS = 20_000;
const SYNCHRONOUS_MS = 30_000;

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
    const standby = await postgres.standby();
    await follow(postgres);
    const [kept, ended] = await Promise.all([signIn(server), signIn(server)]);
    assert.equal((await ask('DELETE', '/sessions', { cookie, body: { session_ids: [ended.id] } })).status, 204);
    await postgres.crash();
    wire.lead(standby.port);
    wire.hangUp();
    await until(async () => (await ask('GET', '/ready')).text.includes('the database is read-only'), '/ready says that it takes no writes', TOLD_MS);
    assert.notEqual((await ask('GET', '/whoami', { cookie: ended.cookie })).status, 200);
    await standby.promote();
    await until(async () => (await ask('GET', '/ready')).status === 200, '/ready is well again', BACK_MS);
    assert.equal((await ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } })).status, 200);
    const [seen, refused] = [await ask('GET', '/whoami', { cookie: kept.cookie }), await ask('GET', '/whoami', { cookie: ended.cookie })];
    assert.deepEqual([seen.status, refused.status], [200, 401]);
  });
}

async function signIn({ ask }: TestServer): Promise<{ readonly id: string; readonly cookie: string }> {
  const { body, cookie } = await ask('POST', '/login?realm=_', { user: 'admin:a new password' });
  return { id: body.session_id, cookie: cookie as string };
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
