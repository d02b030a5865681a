// The tables of the key server on both databases: they are made once, and hold what is searched for.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { KEYS_MIGRATIONS } from '../../../plugins/keys/migrations.ts';
import { testDatabases } from '../../stores.ts';

const databases = await testDatabases();
const sets = [{ owner: 'keys', migrations: KEYS_MIGRATIONS }];

const ids = async (store: Store, sql: string, params: (string | number)[] = []) => (await store.all<{ id: string }>(sql, params)).map(({ id }) => id);

for (const database of databases) {
  test(`${database.dialect}: objects newest first, those that are due, by attribute, and by grant`, async () => {
    const store = await openStore(await database.url(), { writer: 'test', clock: createClock() });
    try {
      assert.ok((await migrate(store, sets, () => 1)) >= 1);
      assert.equal(await migrate(store, sets, () => 1), 0);
      await store.transaction(async (tx) => {
        const insert =
          'INSERT INTO kms_object (id, object_type, state, owner, archived, created_at, changed_at, due_at, attributes, content) VALUES ($1, 2, 1, $2, 0, $3, $3, $4, $5, $6)';
        for (const [id, due] of [
          ['a', null],
          ['b', 50],
          ['c', 500],
        ] as const)
          await tx.run(insert, [id, 'ann', 2 ** 41, due, Uint8Array.of(1), id === 'a' ? null : Uint8Array.of(2, 3)]);
        await tx.run('INSERT INTO kms_attribute (object_id, owner, tag, value) VALUES ($1, $2, $3, $4)', ['b', 'ann', 0x420028, '00000003']);
        await tx.run('INSERT INTO kms_grant (object_id, user_id, operations) VALUES ($1, $2, $3)', ['hsm::soft_hsm::0::key', 'r/*', 'decrypt encrypt']);
      });
      assert.deepEqual(await ids(store, 'SELECT id FROM kms_object WHERE owner = $1 ORDER BY seq DESC', ['ann']), ['c', 'b', 'a']);
      assert.deepEqual(await ids(store, 'SELECT id FROM kms_object WHERE due_at <= $1', [100]), ['b']);
      const tagged = 'SELECT object_id AS id FROM kms_attribute WHERE tag = $1 AND value = $2';
      assert.deepEqual(await ids(store, tagged, [0x420028, '00000003']), ['b']);
      assert.deepEqual(await ids(store, 'SELECT object_id AS id FROM kms_grant WHERE user_id = $1', ['r/*']), ['hsm::soft_hsm::0::key']);
      const row = await store.get('SELECT archived, content, attributes FROM kms_object WHERE id = $1', ['a']);
      assert.deepEqual([row?.['archived'], row?.['content'], Buffer.from(row?.['attributes'] as Uint8Array)], [0, null, Buffer.of(1)]);
      const again = store.transaction((tx) =>
        tx.run('INSERT INTO kms_grant (object_id, user_id, operations) VALUES ($1, $2, $3)', ['hsm::soft_hsm::0::key', 'r/*', 'get']),
      );
      await assert.rejects(again);
    } finally {
      await store.close();
    }
  });
}

for (const database of databases)
  test(`${database.dialect}: the index keeps what searches begin with, and loses what nearly all objects share`, async () => {
    const store = await openStore(await database.url(), { writer: 'test', clock: createClock() });
    try {
      await migrate(store, [{ owner: 'keys', migrations: KEYS_MIGRATIONS.filter(({ id }) => id < 7) }], () => 1);
      const insert = 'INSERT INTO kms_attribute (object_id, owner, tag, value) VALUES ($1, $2, $3, $4)';
      for (const tag of [TAG.Name, TAG.Fresh, TAG.Sensitive, TAG.CryptographicAlgorithm])
        await store.transaction((tx) => tx.run(insert, ['old', 'ann', tag, 'x']));
      await migrate(store, sets, () => 1);
      const left = await store.all<{ tag: number }>("SELECT tag FROM kms_attribute WHERE object_id = 'old' AND owner = 'ann' AND value = 'x' ORDER BY tag");
      assert.deepEqual(
        left.map(({ tag }) => tag),
        [TAG.CryptographicAlgorithm, TAG.Name],
      );
      await assert.rejects(store.transaction((tx) => tx.run(insert, ['old', 'ann', TAG.Name, 'x'])));
    } finally {
      await store.close();
    }
  });

test('sqlite: the content is the last column, also after later migrations, and stays what it was', async () => {
  const database = databases.find(({ dialect }) => dialect === 'sqlite');
  const store = await openStore((await database?.url()) as string, { writer: 'test', clock: createClock() });
  try {
    await migrate(store, [{ owner: 'keys', migrations: KEYS_MIGRATIONS.filter(({ id }) => id < 6) }], () => 1);
    const insert =
      'INSERT INTO kms_object (id, object_type, state, owner, archived, created_at, changed_at, attributes, content, seal, size) VALUES ($1, 2, 1, $1, 0, 1, 1, $2, $3, $2, 5)';
    await store.transaction((tx) => tx.run(insert, ['old', Uint8Array.of(1), Uint8Array.of(2, 3, 4, 5)]));
    await migrate(store, sets, () => 1);
    const columns = await store.all<{ name: string }>("SELECT name FROM pragma_table_info('kms_object')");
    assert.equal(columns.at(-1)?.name, 'content');
    const row = await store.get('SELECT content, seal, size FROM kms_object WHERE id = $1', ['old']);
    assert.deepEqual(Buffer.from(row?.['content'] as Uint8Array), Buffer.of(2, 3, 4, 5));
    assert.deepEqual([Buffer.from(row?.['seal'] as Uint8Array), row?.['size']], [Buffer.of(1), 5]);
    assert.equal((await store.get('SELECT amount FROM kms_usage WHERE kind = $1 AND scope = $2', ['object_bytes', 'old']))?.['amount'], 5);
  } finally {
    await store.close();
  }
});

test.after(() => Promise.all(databases.map((database) => database.stop())).then(() => {}));

test.run();
