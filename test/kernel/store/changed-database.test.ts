// A database that somebody else has changed or limits: lost tables and columns, ended statements, a wrong encoding, a user that may only read.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { test } from 'uvu';
import { rightsIn } from '../../../command/doctor/postgres-rights.ts';
import { createClock } from '../../../kernel/clock.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { translateErrors } from '../../../kernel/store/postgres-error.ts';
import { type Postgres, startPostgres } from '../../postgres.ts';
import { signInAdmin, startServer, temporaryFolder } from '../../server.ts';
import { skipWithout } from '../../system.ts';

const LACKS = /^the database lacks a table or a column of this version/;
const open = (url: string) => openStore(url, { writer: 'test', clock: createClock() });

/** @param change does what somebody else would, with SQL */
async function losesTables(url: string, dataDir: string, change: (sql: string) => unknown): Promise<void> {
  const server = await startServer({ dataDir, config: `[store]\nurl = "${url}"\n` });
  const cookie = await signInAdmin(server);
  for (const [sql, back] of [
    ['ALTER TABLE audit RENAME TO elsewhere', 'ALTER TABLE elsewhere RENAME TO audit'],
    ['ALTER TABLE audit RENAME COLUMN source TO elsewhere', 'ALTER TABLE audit RENAME COLUMN elsewhere TO source'],
  ] as const) {
    await change(sql);
    for (const answer of [
      await server.ask('GET', '/audit', { cookie }),
      await server.ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } }),
    ]) {
      assert.equal(answer.status, 503, answer.text);
      assert.match(answer.body.message ?? answer.body.description, LACKS, sql);
    }
    await change(back);
    assert.equal((await server.ask('GET', '/audit', { cookie })).status, 200);
  }
  await server.end();
}

test('SQLite: a lost table or column is told as that, and not as an internal error', async () => {
  const dataDir = temporaryFolder();
  await losesTables('sqlite:gatehouse.db', dataDir, (sql) => {
    const db = new DatabaseSync(join(dataDir, 'gatehouse.db'));
    db.exec(`PRAGMA busy_timeout = 5000; ${sql}`);
    db.close();
  });
});

test('what PostgreSQL says of itself has a fault that tells what to do', async () => {
  const told = async (code: string, message = '') => {
    const error = await translateErrors(() => Promise.reject(Object.assign(new Error(message), { code }))).then(
      () => undefined,
      (failed: { code: string; detail?: string }) => failed,
    );
    return `${error?.code}: ${error?.detail}`;
  };
  for (const [code, expected] of [
    ['42P01', /^UNAVAILABLE: the database lacks a table/],
    ['42703', /^UNAVAILABLE: the database lacks a table/],
    ['57014', /^OVERLOADED: the database has ended the statement/],
    ['25P03', /^OVERLOADED: the database has ended a transaction in which this server stood still/],
    ['25P04', /^OVERLOADED: the database has ended the statement/],
    ['53000', /^OVERLOADED: the database has no room for more work/],
    ['53200', /^OVERLOADED: the database has no room for more work/],
    ['53300', /^OVERLOADED: the database lets in no more connections now/],
    ['53400', /^OVERLOADED: the database has no room for more work/],
    ['53100', /^UNAVAILABLE: the disk of the database is full/],
    ['55P03', /^OVERLOADED: undefined/],
    ['57P01', /^UNAVAILABLE: the database cannot be reached/],
    ['57P02', /^UNAVAILABLE: the database cannot be reached/],
    ['57P03', /^UNAVAILABLE: the database cannot be reached/],
    ['22021', /^UNAVAILABLE: .*encoding must be UTF8/],
    ['22P05', /^UNAVAILABLE: .*encoding must be UTF8/],
    ['XX001', /^UNAVAILABLE: .*damaged/],
    ['XX002', /^UNAVAILABLE: .*damaged/],
    // Of one request, or tried again.
    ['23505', /^23505/],
    ['40001', /^40001/],
  ] as const)
    assert.match(await told(code), expected, code);
  assert.match(await told('0A000', 'cached plan must not change result type'), /^UNAVAILABLE: the database lacks a table/);
});

if (!skipWithout('postgresql')) {
  let postgres: Postgres;
  let owner: pg.Client;
  let url: string;
  test.before(async () => {
    postgres = await startPostgres();
    url = await postgres.database();
    owner = new pg.Client({ connectionString: url });
    await owner.connect();
  });
  test.after(async () => {
    await owner?.end();
    await postgres?.stop();
  });

  test('PostgreSQL: a lost table or column is told as that, and the server goes on when it is back', () =>
    losesTables(url, temporaryFolder(), (sql) => owner.query(sql)));

  test('a statement that the database ends is told so, by readers and writers, and may come again', async () => {
    const limited = new URL(url);
    limited.searchParams.set('options', '-c statement_timeout=200');
    const store = await open(limited.href);
    const ended = { code: 'OVERLOADED', detail: /^the database has ended the statement before its answer/ };
    await assert.rejects(store.all('SELECT pg_sleep(5)'), ended);
    await assert.rejects(
      store.transaction((tx) => tx.all('SELECT pg_sleep(5)')),
      ended,
    );
    assert.deepEqual(await store.transaction((tx) => tx.all('SELECT 1 AS one')), [{ one: 1 }]);
    await store.close();
  });

  test('what is answered outlives a crash of the database, also where commits do not wait for the disk', async () => {
    // The second says which standbys commits wait for, and is the operator's to choose.
    for (const [usual, expected] of [
      ['off', 'on'],
      ['remote_write', 'remote_write'],
    ] as const) {
      const quick = new URL(url);
      quick.searchParams.set('options', `-c synchronous_commit=${usual}`);
      const store = await open(quick.href);
      for (const options of [{}, { lock: 'a lock' }])
        assert.deepEqual(await store.transaction((tx) => tx.all('SHOW synchronous_commit'), options), [{ synchronous_commit: expected }]);
      await store.close();
    }
  });

  test('the database ends a transaction in which a node stands still, for whose locks others wait', async () => {
    const store = await open(url);
    for (const options of [{}, { lock: 'a lock' }])
      assert.deepEqual(await store.transaction((tx) => tx.all('SHOW idle_in_transaction_session_timeout'), options), [
        { idle_in_transaction_session_timeout: '10s' },
      ]);
    await store.close();
  });

  test('a database that does not keep every text is refused at the start, and told by doctor', async () => {
    for (const encoding of ['LATIN1', 'SQL_ASCII']) {
      const name = `other_${encoding.toLowerCase()}`;
      await owner.query(`CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`);
      const other = new URL(url);
      other.pathname = name;
      await assert.rejects(
        startServer({ config: `[store]\nurl = "${other.href}"\n` }),
        new RegExp(`the database ${name} has the encoding ${encoding}.*ENCODING 'UTF8'`),
      );
      const client = new pg.Client({ connectionString: other.href });
      await client.connect();
      assert.match((await rightsIn(client))[0]?.says ?? '', new RegExp(encoding));
      assert.deepEqual((await client.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).rows, []);
      await client.end();
    }
  });

  test('doctor tells of a user that may only read, or may make no tables', async () => {
    const fresh = await postgres.database();
    const own = new pg.Client({ connectionString: fresh });
    await own.connect();
    assert.deepEqual(await rightsIn(own), []);
    await own.query('CREATE ROLE reader LOGIN');
    const address = new URL(fresh);
    address.username = 'reader';
    const asReader = async () => {
      const reader = new pg.Client({ connectionString: address.href });
      await reader.connect();
      const found = await rightsIn(reader);
      await reader.end();
      return found.map(({ state, says, advice }) => `${state}: ${says}; ${advice}`).join('\n');
    };
    assert.match(await asReader(), /^problem: the user reader may make no tables in the schema public; .*GRANT CREATE/);
    const store = await open(fresh);
    await migrate(store, [], Date.now);
    await store.close();
    await own.query('GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader');
    assert.match(
      await asReader(),
      /^warning: .*may make no tables.*\nproblem: the user reader may not read and write \d+ of the tables: account, audit, .*GRANT SELECT, INSERT/,
    );
    await own.query('GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO reader; GRANT CREATE ON SCHEMA public TO reader');
    assert.equal(await asReader(), '');
    await own.query('ALTER ROLE reader SET default_transaction_read_only = on');
    assert.match(await asReader(), /^problem: it takes no writes; /);
    await own.end();
  });
}

test.run();
