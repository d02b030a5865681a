// Two threads that write rows of one owner on PostgreSQL: a thread whose groups lose to the other's is let through, and nobody is told to come back.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type Postgres, startPostgres } from '../../postgres.ts';
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
}

test.run();
