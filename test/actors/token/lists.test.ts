// Of a role with many secret ids and tokens, a page is read in the order of an index, and one of them is found by its accessor alone.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { listTokens, revokeByAccessor } from '../../../actors/token/role-tokens.ts';
import { destroySecretId, listAccessors } from '../../../actors/token/secret-ids.ts';
import { migrationSets } from '../../../kernel/catalog/migrations.ts';
import { createClock } from '../../../kernel/clock.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import type { Reader, SqlValue, Store, Transaction } from '../../../kernel/store/store.ts';
import { BUILT_IN } from '../../../plugins/index.ts';
import { testDatabases } from '../../stores.ts';

const databases = await testDatabases();
test.after(async () => {
  for (const database of databases) await database.stop();
});

const MANY = 3_000;
const NOW = 1_000_000;
const BY = { realm: '_', username: 'root', account: '_/root', scheme: 'up', source: '::1' };
const ADMIN = [
  "INSERT INTO realm VALUES ('_', '{}', 60, 60, 60, 0)",
  "INSERT INTO admin (id) VALUES ('root')",
  "INSERT INTO admin_realm (admin, realm) VALUES ('root', '_')",
  "INSERT INTO admin_account (admin, account, realm) VALUES ('root', '_/root', '_')",
];
const ROLE = `INSERT INTO approle (name, role_id, token_ttl_seconds, token_max_ttl_seconds, token_policies, secret_id_ttl_seconds, bind_secret_id)
  VALUES ('role', 'id', 1, 1, '[]', 1, 1)`;
const NUMBERS = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${MANY})`;
const TOKENS = `INSERT INTO app_token (digest, accessor, kind, role, entity, policies, created_at, expires_at, lease_seconds, max_expires_at) ${NUMBERS}
  SELECT 'd' || n, 'a' || n, 'approle', 'role', 'role', '[]', n, 0, 0, 0 FROM numbers`;
const SECRET_IDS = `INSERT INTO secret_id (accessor, digest, role, created_at, expires_at, num_uses, uses, exhausted_at) ${NUMBERS}
  SELECT 'a' || n, 'd' || n, 'role', n, 0, 0, 0, 0 FROM numbers`;

type Statement = readonly [sql: string, params: readonly SqlValue[]];

/** Notes what is asked. */
function noting(reader: Reader, asked: Statement[]): Reader {
  return {
    all(sql, params = []) {
      asked.push([sql, params]);
      return reader.all(sql, params);
    },
    get(sql, params = []) {
      asked.push([sql, params]);
      return reader.get(sql, params);
    },
  };
}

async function planOf(store: Store, [sql, params]: Statement): Promise<string> {
  if (store.dialect === 'sqlite') return (await store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)).map(({ detail }) => detail).join('\n');
  return (await store.all<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, params)).map((line) => line['QUERY PLAN'].trim()).join('\n');
}

/** A walk through a table, or rows that are put in order after they were read. */
const LONG = /SCAN|Seq Scan|Bitmap|Sort|TEMP B-TREE/;

for (const database of databases) {
  let store: Store;
  const name = (text: string) => `${database.dialect}: ${text}`;
  const told = async (asked: readonly Statement[], table: string) => {
    const plans: string[] = [];
    for (const statement of asked) if (statement[0].includes(`FROM ${table} `)) plans.push(await planOf(store, statement));
    return plans;
  };

  test(name('the rows'), async () => {
    store = await openStore(await database.url(), { writer: 'test', clock: createClock() });
    await migrate(store, migrationSets(BUILT_IN), () => 1);
    await store.transaction(async (tx) => {
      for (const sql of [...ADMIN, ROLE, TOKENS, SECRET_IDS]) await tx.run(sql);
    });
    await store.transaction((tx) => tx.run('ANALYZE'));
  });

  for (const [what, table, list] of [
    ['tokens', 'app_token', (from: Reader, after?: string) => listTokens(from as Store, 'approle', 'role', { after, limit: 100 }, NOW)],
    ['secret ids', 'secret_id', (from: Reader, after?: string) => listAccessors(from, 'role', { after, limit: 100 }, NOW)],
  ] as const)
    test(name(`a page of ${what} is read in the order of an index`), async () => {
      const asked: Statement[] = [];
      const first = await list(noting(store, asked));
      assert.ok(first?.next);
      await list(noting(store, asked), first.next);
      const plans = await told(asked, table);
      assert.equal(plans.length, 4);
      for (const plan of plans) assert.doesNotMatch(plan, LONG);
    });

  for (const [what, table, end] of [
    ['token', 'app_token', (from: Store) => revokeByAccessor(from, 'approle', 'role', 'a2000', BY)],
    ['secret id', 'secret_id', (from: Store) => destroySecretId(from, 'role', 'a2000', BY, NOW)],
  ] as const)
    test(name(`one ${what} is found by its accessor`), async () => {
      const asked: Statement[] = [];
      const watched = (tx: Transaction): Transaction => ({ ...tx, ...noting(tx, asked) });
      await end({ ...store, transaction: (work, options) => store.transaction((tx) => work(watched(tx)), options) });
      assert.equal((await store.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`))?.n, MANY - 1);
      const [plan, ...others] = await told(asked, table);
      assert.deepEqual(others, []);
      assert.match(plan as string, /\(accessor=\?\)|Index Cond: \(accessor = /);
    });

  test(name('nothing is left open'), () => store.close());
}

test.run();
