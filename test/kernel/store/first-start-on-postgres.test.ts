// What an operator forgets before the first start on PostgreSQL: each is told with what to do, and nothing is left in the database.
import assert from 'node:assert/strict';
import pg from 'pg';
import { test } from 'uvu';
import { type Postgres, startPostgres } from '../../postgres.ts';
import { startServer } from '../../server.ts';
import { skipWithout } from '../../system.ts';

if (!skipWithout('postgresql')) {
  let postgres: Postgres;
  let address: string;
  test.before(async () => {
    postgres = await startPostgres();
    address = await postgres.database();
    const owner = new pg.Client({ connectionString: address });
    await owner.connect();
    await owner.query('CREATE ROLE guest LOGIN');
    await owner.end();
  });
  test.after(() => postgres?.stop());

  const changed = (change: (url: URL) => void): string => {
    const url = new URL(address);
    change(url);
    return url.href;
  };

  test('a missing database or schema, a user without the right to make tables, no TLS', async () => {
    for (const [url, told] of [
      [changed((each) => (each.pathname = '/none')), /no database or schema of that name: see \[store\] url/],
      [changed((each) => each.searchParams.set('options', '-c search_path=none')), /no database or schema of that name/],
      [changed((each) => (each.username = 'guest')), /does not permit the user of \[store\] url .* grant it CREATE on the schema/],
      [changed((each) => each.searchParams.set('sslmode', 'verify-full')), /does not speak TLS, which the sslmode/],
    ] as const) {
      const start = startServer({ config: `[store]\nurl = "${url}"\n` }).then((server) => server.end());
      await assert.rejects(start, { name: 'StartFailure', message: told }, url);
    }
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    const { rows } = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    await client.end();
    assert.deepEqual(rows, []);
  });
}

test.run();
