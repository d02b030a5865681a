// Room that connections of PostgreSQL take in advance of what is counted: creates for one owner do not conflict, and the quota holds to the last object.
import assert from 'node:assert/strict';
import pg from 'pg';
import { test } from 'uvu';
import { NO_QUOTAS, quotaProblem } from '../../../actors/kmip/object/quota.ts';
import { createClock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { insertSql } from '../../../kernel/store/row-insert.ts';
import type { Reader, Store } from '../../../kernel/store/store.ts';
import { KEYS_MIGRATIONS } from '../../../plugins/keys/migrations.ts';
import { testDatabases } from '../../stores.ts';

// What a connection takes goes by the number of its process, and those of one PostgreSQL follow each other.
const databases = await testDatabases({ isOwn: true });
const sets = [{ owner: 'keys', migrations: KEYS_MIGRATIONS }];
/** As the key server creates. */
const TOGETHER = { together: true } as const;
const THERE = 1_000;
const SIZE = 300;
const FIELDS = 'id, object_type, state, owner, archived, created_at, changed_at, attributes, size';
const NUMBERS = { object_type: 'BIGINT', state: 'BIGINT', archived: 'BIGINT', created_at: 'BIGINT', changed_at: 'BIGINT', size: 'BIGINT' } as const;
const INSERT = insertSql({ table: 'kms_object', columns: { id: 'TEXT', owner: 'TEXT', attributes: 'BYTEA', ...NUMBERS } });
/** @param attributes as the driver in use takes bytes */
const objectOf = <B>(id: string, owner: string, attributes: B) => [id, owner, attributes, ...[2, 1, 0, 1, 1], SIZE];

/** So many objects of one owner, as one statement. */
const fillSql = (owner: string) => `INSERT INTO kms_object (${FIELDS})
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${THERE})
  SELECT '${owner}-' || n, 2, 1, '${owner}', 0, 1, 1, CAST('a' AS BYTEA), ${SIZE} FROM numbers`;

/** What is there as the rows of amounts and of room say it. */
const amountOf = async (from: Reader, kind: string, owner: string): Promise<number> => {
  const sql = (table: string, column: string) => `SELECT COALESCE(SUM(${column}), 0) AS n FROM ${table} WHERE kind = $1 AND scope = $2`;
  const [all, room] = [
    await from.get<{ n: number }>(sql('kms_usage', 'amount'), [kind, owner]),
    await from.get<{ n: number }>(sql('kms_usage_room', 'room'), [kind, owner]),
  ];
  return Number(all?.n) - Number(room?.n);
};

for (const database of databases) {
  const name = (what: string) => `${database.dialect}: ${what}`;
  let url: string;
  let stores: readonly Store[];
  const create = (store: Store, id: string, owner: string, most: number) =>
    store.transaction(async (tx) => {
      await tx.run(INSERT, objectOf(id, owner, Uint8Array.of(1)));
      const problem = await quotaProblem(tx, { ...NO_QUOTAS, objects_per_identity: most }, owner, 'objects');
      if (problem) throw new Fault('KEYS_QUOTA_EXCEEDED', { detail: problem });
    }, TOGETHER);

  test(name('the stores and an owner with many objects'), async () => {
    url = await database.url();
    // SQLite's stores are of one process, as the store of each thread is.
    stores = await Promise.all([0, 1, 2].map((at) => openStore(url, { writer: `test/${at}`, clock: createClock() })));
    await migrate(stores[0] as Store, sets, () => 1);
    for (const owner of ['r/ann', 'r/ben']) await (stores[0] as Store).transaction((tx) => tx.exec(fillSql(owner)));
  });

  test(name('of creates by several writers as many as there is room for'), async () => {
    const [free, tried] = [40, 90];
    const one = stores[0] as Store;
    const made = await Promise.all(
      Array.from({ length: tried }, (_, at) =>
        create(stores[at % stores.length] as Store, `new-${at}`, 'r/ann', THERE + free).then(
          () => 1,
          (error: Fault) => {
            assert.equal(error.code, 'KEYS_QUOTA_EXCEEDED', String(error.stack));
            return 0;
          },
        ),
      ),
    );
    assert.equal(
      made.reduce((sum: number, each) => sum + each, 0),
      free,
    );
    assert.deepEqual([await amountOf(one, 'object', 'r/ann'), await amountOf(one, 'object_bytes', 'r/ann')], [THERE + free, (THERE + free) * SIZE]);
    const count = await one.get<{ n: number }>("SELECT COUNT(*) AS n FROM kms_object WHERE owner = 'r/ann'");
    assert.equal(Number(count?.n), THERE + free);
  });

  test(name('what is removed or given away is free again'), async () => {
    const one = stores[0] as Store;
    await one.transaction((tx) => tx.run("DELETE FROM kms_object WHERE id IN ('new-0', 'r/ann-1', 'r/ann-2', 'r/ann-3')"));
    const before = await amountOf(one, 'object', 'r/ann');
    await Promise.all([1, 2].map((at) => create(stores[at] as Store, `more-${at}`, 'r/ann', before + 2)));
    await assert.rejects(create(one, 'more-3', 'r/ann', before + 2), { code: 'KEYS_QUOTA_EXCEEDED' });
    await one.transaction((tx) => tx.run("UPDATE kms_object SET owner = 'r/cid' WHERE owner = 'r/ann'"));
    assert.deepEqual([await amountOf(one, 'object', 'r/ann'), await amountOf(one, 'object', 'r/cid')], [0, before + 2]);
    assert.equal(await one.get("SELECT 1 AS found FROM kms_usage WHERE scope = 'r/ann'"), undefined, 'nothing stays of an owner without objects');
    assert.equal(await one.get("SELECT 1 AS found FROM kms_usage_room WHERE scope = 'r/ann' OR room < 0"), undefined, 'no room stays either');
  });

  test(name('of one that several writers empty an object at a time nothing stays'), async () => {
    const ids = (await (stores[0] as Store).all<{ id: string }>("SELECT id FROM kms_object WHERE owner = 'r/cid'")).map(({ id }) => id);
    await Promise.all(ids.map((id, at) => (stores[at % stores.length] as Store).transaction((tx) => tx.run('DELETE FROM kms_object WHERE id = $1', [id]))));
    for (const table of ['kms_usage', 'kms_usage_room'])
      assert.deepEqual(await (stores[0] as Store).all(`SELECT * FROM ${table} WHERE scope = 'r/cid'`), [], table);
  });

  if (database.dialect === 'postgres')
    test(name('two connections that create for one owner at the same time both commit'), async () => {
      const writers = await twoWriters(url);
      const begun = async (id: string, writer: pg.Client) => {
        await writer.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
        await writer.query(INSERT, objectOf(id, 'r/ben', Buffer.of(1)));
        const all = async <T extends object>(sql: string, params?: readonly unknown[]) => (await writer.query(sql, params as unknown[])).rows as T[];
        const from = { all, get: async <T extends object>(sql: string, params?: readonly unknown[]) => (await all<T>(sql, params))[0] } as Reader;
        assert.equal(
          await quotaProblem(from, { ...NO_QUOTAS, objects_per_identity: 100_000, object_bytes_per_identity: 10 ** 9 }, 'r/ben', 'objects'),
          undefined,
        );
      };
      // Each takes its room once.
      for (const [at, writer] of writers.entries()) {
        await begun(`first-${at}`, writer);
        await writer.query('COMMIT');
      }
      for (let round = 0; round < 5; round++) {
        for (const [at, writer] of writers.entries()) await begun(`both-${round}-${at}`, writer);
        for (const writer of writers) await writer.query('COMMIT');
      }
      for (const writer of writers) await writer.end();
      assert.equal(await amountOf(stores[0] as Store, 'object', 'r/ben'), THERE + 12);
    });

  test(name('the stores are closed'), async () => {
    for (const store of stores) await store.close();
  });
}

/** Two connections that do not share a row of room. */
async function twoWriters(url: string): Promise<readonly pg.Client[]> {
  const found = new Map<number, pg.Client>();
  while (found.size < 2) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const own = Number((await client.query('SELECT pg_backend_pid() % 16 AS own')).rows[0]?.own);
    if (found.has(own)) await client.end();
    else found.set(own, client);
  }
  return [...found.values()];
}

test.after(() => Promise.all(databases.map((database) => database.stop())).then(() => {}));

test.run();
