// PostgreSQL as others have set it up: for the user of gatehouse, for the database, with another schema in front, or with row level security.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { mock } from 'node:test';
import pg from 'pg';
import { test } from 'uvu';
import { rightsIn } from '../../../command/doctor/postgres-rights.ts';
import { createClock } from '../../../kernel/clock.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { postgresSnapshot } from '../../../kernel/store/postgres-snapshot.ts';
import { WatchedClient } from '../../../kernel/store/silent-connection.ts';
import { type Postgres, startPostgres } from '../../postgres.ts';
import { signInAdmin, startServer, temporaryFolder } from '../../server.ts';
import { skipWithout } from '../../system.ts';

const open = (url: string) => openStore(url, { writer: 'test', clock: createClock() });

if (!skipWithout('postgresql')) {
  let postgres: Postgres;
  test.before(async () => {
    postgres = await startPostgres();
  });
  test.after(() => postgres?.stop());

  const connected = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };
  /** @returns the address of a new database, and the same for a user of it that owns it, with settings of its own */
  const databaseOf = async (user: string, ...settings: readonly string[]) => {
    const all = await postgres.database();
    const own = new URL(all);
    own.username = user;
    await connected(all, async (client) => {
      await client.query(`CREATE ROLE ${user} LOGIN; ALTER DATABASE ${own.pathname.slice(1)} OWNER TO ${user}`);
      for (const each of settings) await client.query(`ALTER ROLE ${user} SET ${each}`);
    });
    return { all, own: own.href };
  };

  test('bytes are read as they were written, whatever bytea_output the user or the database has', async () => {
    const { own } = await databaseOf('escaping', 'bytea_output = escape', 'standard_conforming_strings = off');
    const cases = [Uint8Array.from({ length: 256 }, (_, at) => at), Buffer.from('\\x00'), Buffer.from('\\\\101\\'), Buffer.from('text'), new Uint8Array()];
    const store = await open(own);
    await store.transaction((tx) => tx.exec('CREATE TABLE kept (id BIGINT, bytes BYTEA)'));
    for (const [id, bytes] of cases.entries()) await store.transaction((tx) => tx.run('INSERT INTO kept VALUES ($1, $2)', [id, bytes]));
    const expected = cases.map((bytes) => ({ bytes: new Uint8Array(bytes) }));
    assert.deepEqual(await store.all('SELECT bytes FROM kept ORDER BY id'), expected);
    assert.deepEqual(await store.transaction((tx) => tx.all('SELECT bytes FROM kept ORDER BY id')), expected);
    await store.close();
    const snapshot = await postgresSnapshot(own);
    assert.deepEqual(await snapshot.all('SELECT bytes FROM kept ORDER BY id'), expected);
    await snapshot.close();
  });

  test('a server starts, keeps keys and finds them again for a user with unusual settings', async () => {
    const unusual = ["DateStyle = 'SQL, DMY'", "TimeZone = 'Asia/Kolkata'", 'bytea_output = escape', "default_transaction_isolation = 'serializable'"];
    const { own } = await databaseOf('unusual', ...unusual, 'plan_cache_mode = force_generic_plan', 'extra_float_digits = 0', 'quote_all_identifiers = on');
    const dataDir = join(temporaryFolder(), 'data');
    const config = `[store]\nurl = "${own}"\n`;
    const first = await startServer({ dataDir, config });
    const cookie = await signInAdmin(first);
    const made = await first.ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } });
    await first.stop();
    const second = await startServer({ dataDir, config });
    const used = await second.ask('POST', '/v1/crypto/encrypt', { cookie, body: { kid: made.body.kid, alg: 'dir', enc: 'A256GCM', data: 'aGVsbG8' } });
    assert.equal(used.status, 200, used.text);
    await second.end();
  });

  test('a read that loses to writers comes again, where reads are serializable too', async () => {
    const { own, all } = await databaseOf('careful', "default_transaction_isolation = 'serializable'");
    const store = await open(own);
    await store.transaction((tx) => tx.exec("CREATE TABLE pair (id TEXT PRIMARY KEY, n BIGINT); INSERT INTO pair VALUES ('a', 0), ('b', 0)"));
    await connected(all, (gate) =>
      connected(own, (pivot) =>
        connected(own, async (early) => {
          await gate.query('SELECT pg_advisory_lock(1)');
          await pivot.query("BEGIN; SELECT n FROM pair WHERE id = 'a'");
          await early.query("UPDATE pair SET n = 1 WHERE id = 'a'");
          // Its snapshot has the change of the one, and not yet that of the other, which read before it.
          const read = store.all('WITH gate AS MATERIALIZED (SELECT pg_advisory_xact_lock(1)) SELECT id, n FROM gate, pair ORDER BY id');
          while ((await gate.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).rows.length === 0);
          await pivot.query("UPDATE pair SET n = 2 WHERE id = 'b'; COMMIT");
          await gate.query('SELECT pg_advisory_unlock(1)');
          assert.deepEqual(await read, [
            { id: 'a', n: 1 },
            { id: 'b', n: 2 },
          ]);
        }),
      ),
    );
    await store.close();
  });

  test('a statement that waits for long is not taken for a lost one, however the database writes dates', async () => {
    // IST is the time of Israel when the database reads it.
    const { own, all } = await databaseOf('far', "DateStyle = 'SQL, DMY'", "TimeZone = 'Asia/Kolkata'");
    const watched = new WatchedClient({ connectionString: own });
    watched.on('error', () => {});
    await watched.connect();
    await watched.watch();
    await connected(all, async (holder) => {
      await holder.query('SELECT pg_advisory_lock(2)');
      const looks = { begun: 0, ended: 0 };
      const { connect, end } = pg.Client.prototype;
      const counted = (name: keyof typeof looks, work: unknown) =>
        function (this: pg.Client): unknown {
          looks[name] += 1;
          return (work as () => unknown).call(this);
        };
      Object.assign(pg.Client.prototype, { connect: counted('begun', connect), end: counted('ended', end) });
      mock.timers.enable({ apis: ['setTimeout'] });
      try {
        let outcome = 'waits';
        const asked: Promise<unknown> = watched.query('SELECT pg_advisory_lock(2)');
        const waiting = asked.then(
          () => (outcome = 'answered'),
          (error: Error) => (outcome = error.message),
        );
        while (looks.ended < 3 && outcome === 'waits') {
          if (looks.begun === looks.ended) mock.timers.tick(5_000);
          await new Promise(setImmediate);
        }
        assert.equal(outcome, 'waits');
        await holder.query('SELECT pg_advisory_unlock(2)');
        assert.equal(await waiting, 'answered');
      } finally {
        mock.timers.reset();
        Object.assign(pg.Client.prototype, { connect, end });
      }
    });
    await watched.end();
  });

  test('a schema that comes before that of the tables is told, and nothing begins anew in it', async () => {
    const { own } = await databaseOf('moved');
    const dataDir = join(temporaryFolder(), 'data');
    const config = `[store]\nurl = "${own}"\n`;
    await (await startServer({ dataDir, config })).stop();
    await connected(own, (client) => client.query('CREATE SCHEMA moved'));
    const told = /tables of gatehouse are in the schema public, but moved comes before it/;
    await assert.rejects(
      startServer({ dataDir, config }).then((server) => server.end()),
      { name: 'RefusedStore', message: told },
    );
    await connected(own, async (client) => {
      assert.match((await rightsIn(client))[0]?.says ?? '', told);
      assert.deepEqual((await client.query("SELECT 1 FROM pg_tables WHERE schemaname = 'moved'")).rows, []);
      await client.query('DROP SCHEMA moved');
    });
    await (await startServer({ dataDir, config })).end();
  });

  test('an installation in a schema of its own starts beside another one, whose tables its user may not read', async () => {
    const { all, own } = await databaseOf('beside');
    const starts = (url: string) => startServer({ config: `[store]\nurl = "${url}"\n` }).then((server) => server.end());
    await starts(all);
    await connected(all, (client) => client.query('CREATE SCHEMA beside AUTHORIZATION beside'));
    await starts(own);
  });

  test('row level security that hides rows is told, by the start only where no policy shows any', async () => {
    const { own } = await databaseOf('hidden');
    const dataDir = join(temporaryFolder(), 'data');
    const config = `[store]\nurl = "${own}"\n`;
    const starts = () => startServer({ dataDir, config }).then((server) => server.stop());
    const findings = () => connected(own, async (client) => (await rightsIn(client)).map(({ state, says }) => `${state}: ${says}`));
    await starts();
    // Of the owner nothing is hidden by this, and tables of others do not matter.
    await connected(own, (client) => client.query('CREATE TABLE of_others (id BIGINT); ALTER TABLE kms_object ENABLE ROW LEVEL SECURITY'));
    await connected(own, (client) => client.query('ALTER TABLE of_others ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY'));
    await starts();
    await connected(own, (client) => client.query('ALTER TABLE kms_object FORCE ROW LEVEL SECURITY; DROP TABLE of_others'));
    await assert.rejects(starts(), { name: 'RefusedStore', message: /row level security hides rows of kms_object from the user hidden; ALTER TABLE/ });
    assert.deepEqual(await findings(), ['problem: row level security hides rows of kms_object from the user hidden']);
    await connected(own, (client) => client.query('CREATE POLICY everything ON kms_object USING (true)'));
    await starts();
    assert.deepEqual(await findings(), ['warning: row level security may hide rows of kms_object from the user hidden']);
  });

  test('doctor tells of a user that may have fewer connections than a node takes', async () => {
    const { own, all } = await databaseOf('counted');
    const findings = () => connected(own, async (client) => (await rightsIn(client)).map(({ state, says }) => `${state}: ${says}`));
    assert.deepEqual(await findings(), []);
    const told = ['warning: the user counted may have 20 connections; a node under load takes 30, and what gets none is refused with 503'];
    await connected(all, (client) => client.query('ALTER ROLE counted CONNECTION LIMIT 20'));
    assert.deepEqual(await findings(), told);
    const name = new URL(own).pathname.slice(1);
    await connected(all, (client) => client.query(`ALTER ROLE counted CONNECTION LIMIT -1; ALTER DATABASE ${name} CONNECTION LIMIT 20`));
    assert.deepEqual(await findings(), told);
  });
}

test.run();
