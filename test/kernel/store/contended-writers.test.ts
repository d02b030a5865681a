// Two threads that write rows of one owner on PostgreSQL: a thread whose groups lose to the other's is let through, and nobody is told to come back.
import assert from 'node:assert/strict';
import pg from 'pg';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { CONTENDED } from '../../../kernel/store/group-commit.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { hashOf } from '../../../kernel/versions.ts';
import { type Postgres, startPostgres } from '../../postgres.ts';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';
import { skipWithout } from '../../system.ts';

const WRITERS = 32;
const KEYS_OF_EACH = 100;

if (!skipWithout('postgresql')) {
  let postgres: Postgres;
  let server: TestServer;
  test.before(async () => {
    // As durable as in use: the time of a commit is what lets the other thread pass.
    postgres = await startPostgres({ isDurable: true });
    server = await startServer({ config: `[store]\nurl = "${await postgres.database()}"\n` });
  });
  test.after(async () => {
    await server?.end();
    await postgres?.stop();
  });

  test(`${WRITERS} writers make ${KEYS_OF_EACH} keys each: all are made, none is refused`, async () => {
    const cookie = await signInAdmin(server);
    const refused: string[] = [];
    const write = async () => {
      for (let made = 0; made < KEYS_OF_EACH; made += 1) {
        const { status, text } = await server.ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } });
        if (status !== 200) refused.push(text);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
    assert.deepEqual(refused, []);
  });

  test('a transaction with a lock of its own waits for the group that is let through', async () => {
    const url = await postgres.database();
    const store = await openStore(url, { writer: 'test', clock: createClock() });
    const group = new pg.Client({ connectionString: url });
    await group.connect();
    const key = hashOf(CONTENDED);
    await group.query(`SELECT pg_advisory_lock(${key})`);
    let hasRun = false;
    const done = store.transaction(
      async (tx) => {
        hasRun = true;
        return tx.get('SELECT 1 AS one');
      },
      { lock: 'a lock of its own' },
    );
    const waiting = "SELECT 1 AS found FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
    await until(async () => (await group.query(waiting)).rows.length === 1, 'the transaction waits');
    assert.equal(hasRun, false);
    await group.query(`SELECT pg_advisory_unlock(${key})`);
    assert.deepEqual(await done, { one: 1 });
    await group.end();
    await store.close();
  });
}

test.run();
