// Rows that count failures, and places that are known for a while, are removed when they mean nothing any more: they would fill the disk otherwise.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'uvu';
import { openStore } from '../../kernel/store/open.ts';
import type { Store } from '../../kernel/store/store.ts';
import { people } from '../people.ts';
import { until } from '../runtime.ts';
import { signInAdmin, startServer } from '../server.ts';
import { testDatabases } from '../stores.ts';

const databases = await testDatabases();
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** More than are looked at together. */
const MANY = 2_500;

for (const database of databases) {
  test(`${database.dialect}: what is over leaves no rows of failures, locks and places; what still counts stays`, async () => {
    const postgres = database.dialect === 'sqlite' ? undefined : await database.url();
    const config = `[auth]\nlockout_window_seconds = 60\nlockout_seconds = 3600\n${postgres === undefined ? '' : `[store]\nurl = "${postgres}"\n`}[http]\ntrusted_proxies = ["127.0.0.1"]`;
    const server = await startServer({ config });
    let store: Store | undefined;
    try {
      const they = people(server, await signInAdmin(server));
      await they.realm('r');
      for (const user of ['ann', 'ben']) await they.user('r', user, `${user} password`);
      const tries = (user: string, password: string, source = '203.0.113.1') =>
        server.ask('POST', '/login?realm=r', { user: `${user}:${password}`, headers: { 'x-forwarded-for': source } });
      store = await openStore(postgres ?? `sqlite:${join(server.dataDir, 'gatehouse.db')}`, { writer: 'test/over-rows', clock: server.clock });
      const count = async (table: string, where = '1 = 1') => Number((await store?.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table} WHERE ${where}`))?.n);
      const since = server.clock.now();
      await store.transaction(async (tx) => {
        for (let at = 0; at < MANY; at++) {
          const source = `10.0.${at >> 8}.${at & 255}`;
          await tx.run("INSERT INTO lockout VALUES ('r', 'ann', 'password', $1, 1, $2, 0)", [source, since]);
          await tx.run("INSERT INTO login_source VALUES ('r', 'ann', $1, $2)", [source, since - 30 * DAY_MS]);
        }
        await tx.run("INSERT INTO login_source VALUES ('r', 'ann', '10.1.0.1', $1)", [since - 29 * DAY_MS]);
      });
      // Two that nobody has, from there on: one failure each.
      for (const user of ['nobody', 'nobody else', 'ann']) assert.equal((await tries(user, 'wrong')).status, 401);
      assert.ok((await count('lockout_nobody')) > 0);
      await server.runtime.advance(50 * MINUTE_MS);
      for (let tried = 0; tried < 5; tried++) await tries('ben', 'wrong');
      assert.equal((await tries('ben', 'ben password')).status, 401);
      await server.runtime.advance(11 * MINUTE_MS);
      await until(async () => (await count('lockout')) <= 2, 'what is over is removed');
      await until(async () => (await count('lockout_nobody')) <= 2 && (await count('login_source')) === 2, 'of nobody, and of places');
      // The window of these has passed, their lock has not.
      assert.deepEqual([await count('lockout', "username = 'ben' AND locked_until > 0"), (await tries('ben', 'ben password')).status], [1, 401]);
      await server.runtime.advance(60 * MINUTE_MS);
      await until(async () => (await count('lockout')) + (await count('lockout_nobody')) === 0, 'the lock is over, and its rows with it');
      assert.equal((await tries('ben', 'ben password')).status, 200);
    } finally {
      await store?.close();
      await server.end();
    }
  });
}

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
