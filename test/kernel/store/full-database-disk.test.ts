// A full disk under PostgreSQL: /ready says so, writes are told to come back, reads go on, and work resumes by itself with nothing lost.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type Postgres, startPostgres } from '../../postgres.ts';
import { until } from '../../runtime.ts';
import { type Answer, signInAdmin, startServer, type TestServer } from '../../server.ts';
import { skipWithout } from '../../system.ts';

const TOLD_MS = 5_000;
/** PostgreSQL may have to be started again, and reads its log first. */
const BACK_MS = 30_000;
const DISK_MB = 192;
const MOST_TRIES = 3_000;

if (!skipWithout('postgresql')) {
  let postgres: Postgres;
  let server: TestServer | undefined;
  test.before(async () => {
    postgres = await startPostgres({ diskMb: DISK_MB });
  });
  test.after(async () => {
    await server?.end();
    await postgres?.stop();
  });

  test('a full disk of the database is told within five seconds, and no write is an internal error', async () => {
    if (!postgres.disk) return console.log('skipped: a disk that can be full needs the right to mount a file system');
    server = await startServer({ config: `[store]\nurl = "${await postgres.database()}"\n` });
    const { ask } = server;
    const cookie = await signInAdmin(server);
    const make = () => ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } });
    const made: string[] = [(await make()).body.kid];
    const refused: Answer[] = [];
    try {
      assert.ok(postgres.disk.fill() > 0);
      await until(async () => (await ask('GET', '/ready')).text.includes('store: the disk of the database is full'), '/ready tells it', TOLD_MS);
      // Until the pages that the tables have already are full.
      for (let tries = 0; tries < MOST_TRIES && refused.length < 10; tries++) {
        const answer = await make();
        if (answer.status === 200) made.push(answer.body.kid);
        else refused.push(answer);
      }
      assert.deepEqual(
        refused.map(({ status, text }) => (status === 503 ? status : text)),
        Array.from({ length: 10 }, () => 503),
      );
    } finally {
      postgres.disk.empty();
    }
    // Where the log of its changes finds no room, PostgreSQL ends.
    await postgres.start();
    await until(async () => (await ask('GET', '/ready')).status === 200, '/ready is well again', BACK_MS);
    assert.equal((await make()).status, 200);
    const use = (kid: string) => ask('POST', '/v1/crypto/encrypt', { cookie, body: { kid, alg: 'dir', enc: 'A256GCM', data: 'AAAA' } });
    for (const kid of made) assert.equal((await use(kid)).status, 200, kid);
  });
}

test.run();
