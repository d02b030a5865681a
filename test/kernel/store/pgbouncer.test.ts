// A real PgBouncer in transaction mode in front of the database: everything works, nothing is cached, and nothing stays behind on its connections.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { test } from 'uvu';
import { type PgBouncer, startPgBouncer } from '../../pgbouncer.ts';
import { type Postgres, startPostgres } from '../../postgres.ts';
import { type Answer, type Ask, signInAdmin, startServer, type TestServer } from '../../server.ts';
import { skipWithout } from '../../system.ts';

const CONNECTIONS = 4;
const CLIENTS = 6;
const TURNS = 6;
const PASSWORD = 'a new password';

async function ok(answer: Promise<Answer>): Promise<Answer> {
  const { status, text } = await answer;
  assert.ok(status < 300, `${status} ${text}`);
  return answer;
}

if (!skipWithout('postgresql') && !skipWithout('pgbouncer')) {
  let postgres: Postgres;
  let direct: string;
  let bouncer: PgBouncer;
  let one: TestServer;
  let other: TestServer;
  let cookie: string;
  let roleId: string;

  test.before(async () => {
    postgres = await startPostgres();
    direct = await postgres.database();
    bouncer = await startPgBouncer(direct, CONNECTIONS);
    const root = randomBytes(32).toString('hex');
    const start = (more: string) => startServer({ config: `[store]\nurl = "${bouncer.url}"\nroot_key = "${root}"\n${more}` });
    // Both at once: the migrations run once.
    [one, other] = await Promise.all([start('cache = false\n'), start('')]);
    // So does the first start: the node that lost has no password to show.
    const [first, ...more] = [one, other].filter(({ initialPassword }) => initialPassword !== '');
    assert.ok(first && more.length === 0, 'one of them has the first password');
    cookie = await signInAdmin(first, PASSWORD);
    await ok(one.ask('POST', '/auth/approle/role/both', { cookie, body: { bind_secret_id: false } }));
    roleId = (await ok(one.ask('GET', '/auth/approle/role/both/role-id', { cookie }))).body.data.role_id;
  });
  test.after(async () => {
    await Promise.all([one, other].map((server) => server?.end()));
    await bouncer?.stop();
    await postgres?.stop();
  });

  /** Makes things through one node and uses them through the other; revokes them through the first, and the other refuses them. */
  async function turn(made: Ask, asked: Ask): Promise<void> {
    const key = (await ok(made('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } }))).body.kid;
    const token = (await ok(made('POST', '/auth/approle/login', { body: { role_id: roleId } }))).body.auth.client_token;
    const headers = { 'x-app-token': token };
    const encrypt = () => asked('POST', '/v1/crypto/encrypt', { cookie, body: { kid: key, alg: 'dir', enc: 'A256GCM', data: 'AAAA' } });
    const sealed = (await ok(encrypt())).body;
    assert.equal((await ok(made('POST', '/v1/crypto/decrypt', { cookie, body: sealed }))).body.data, 'AAAA');
    await Promise.all([
      ok(asked('GET', '/whoami', { cookie })),
      ok(asked('GET', '/auth/token/lookup-self', { headers })),
      ok(asked('GET', '/audit', { cookie })),
    ]);
    await Promise.all([ok(made('POST', '/auth/token/revoke-self', { headers })), ok(made('DELETE', `/v1/crypto/keys/${key}`, { cookie }))]);
    assert.deepEqual([(await asked('GET', '/auth/token/lookup-self', { headers })).status, (await encrypt()).status], [403, 404]);
  }

  test('clients of two nodes share a few connections, and each statement is answered as its own', async () => {
    const clients = Array.from({ length: CLIENTS }, async (_, at) => {
      for (let done = 0; done < TURNS; done++) await ((at + done) % 2 === 0 ? turn(one.ask, other.ask) : turn(other.ask, one.ask));
    });
    await Promise.all(clients);
    for (const { ask } of [one, other]) assert.equal((await ask('GET', '/ready')).status, 200);
  });

  test('a start that the pooler refuses says why', async () => {
    const url = new URL(bouncer.url);
    url.pathname = '/nope';
    await assert.rejects(startServer({ config: `[store]\nurl = "${url.href}"\n` }), {
      name: 'StartFailure',
      message: /^the store could not start: the database cannot be reached: .*"nope" does not exist/,
    });
  });

  test('no lock and no setting stays behind on a connection that is given to others', async () => {
    const admin = new pg.Client({ connectionString: direct });
    await admin.connect();
    const { rows: locks } = await admin.query(
      "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND pid IN (SELECT pid FROM pg_stat_activity WHERE state = 'idle')",
    );
    assert.deepEqual(locks, []);
    const { rows: usual } = await admin.query(SETTINGS);
    await admin.end();
    const clients = Array.from({ length: CONNECTIONS }, () => new pg.Client({ connectionString: bouncer.url }));
    await Promise.all(clients.map((client) => client.connect()));
    const found = await Promise.all(clients.map(async (client) => (await client.query(SETTINGS)).rows));
    await Promise.all(clients.map((client) => client.end()));
    for (const each of found) assert.deepEqual(each, usual);
  });
}

/** Those that the server changes for its own sake. */
const SETTINGS = `SELECT name, setting FROM pg_settings WHERE name IN
  ('lock_timeout', 'idle_in_transaction_session_timeout', 'work_mem', 'temp_tablespaces', 'default_transaction_isolation', 'synchronous_commit', 'statement_timeout') ORDER BY name`;

test.run();
