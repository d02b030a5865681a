// Databases of all earlier versions come to this one with every row that they had, also if each start ends after one step, or two nodes start at once.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { Levels } from '../../../kernel/backup/format.ts';
import { type KeyedTable, migrationsAt, tablesOf } from '../../../kernel/backup/schema.ts';
import { migrationSets } from '../../../kernel/catalog/migrations.ts';
import { type MigrationSet, migrate, migrationLevels, withKernel } from '../../../kernel/store/migrate.ts';
import type { SqlValue, Store } from '../../../kernel/store/store.ts';
import { BUILT_IN } from '../../../plugins/index.ts';
import { testDatabases } from '../../stores.ts';
import { FULL, fillAll, rowsOf, withStore } from '../generated-rows.ts';

const databases = await testDatabases();
test.after(async () => {
  for (const database of databases) await database.stop();
});

const ROWS = 30;
const sets = migrationSets(BUILT_IN);
const LATEST: Levels = Object.fromEntries(withKernel(sets).flatMap(({ owner, migrations }) => (migrations.length > 0 ? [[owner, migrations.length]] : [])));

/** What came after what, as the history of this repository has it. */
const STEPS: readonly Levels[] = [
  { kernel: 2, auth: 2, keys: 1 },
  { kernel: 3, auth: 3, keys: 3 },
  { kernel: 4, auth: 5, keys: 4 },
  { auth: 6, keys: 5 },
  { auth: 7 },
  { keys: 6, hsm: 1 },
  { model: 1 },
  { model: 2, keys: 7 },
  { model: 3 },
  { kernel: 5 },
  { keys: 8 },
  { kernel: 6, auth: 8 },
  { keys: 9 },
  { keys: 10 },
  { auth: 9 },
  { keys: 11 },
  { keys: 12 },
  { keys: 13 },
  { keys: 14 },
  { keys: 15 },
  { auth: 10 },
  { model: 4 },
  { auth: 11 },
  { keys: 16 },
  { keys: 17 },
];
const VERSIONS = STEPS.map((_, at): Levels => Object.assign({}, ...STEPS.slice(0, at + 1)));

const setsAt = (levels: Levels): MigrationSet[] =>
  sets.map(({ owner, migrations }) => ({ owner, migrations: migrations.filter(({ id }) => id <= (levels[owner] ?? 0)) }));

/** The migrations of the kernel are not given from outside: those above the level are taken for done, and undone again. */
async function bringTo(store: Store, levels: Levels): Promise<void> {
  const kernel = withKernel([])[0]?.migrations ?? [];
  await store.transaction(async (tx) => {
    await tx.exec('CREATE TABLE migration (owner TEXT NOT NULL, id BIGINT NOT NULL, about TEXT NOT NULL, applied_at BIGINT NOT NULL, PRIMARY KEY (owner, id))');
    for (const { id } of kernel.slice(levels['kernel'])) await tx.run("INSERT INTO migration VALUES ('kernel', $1, 'later', 0)", [id]);
  });
  await migrate(store, setsAt(levels), () => 1);
  await store.transaction((tx) => tx.run("DELETE FROM migration WHERE about = 'later'"));
}

interface Before {
  readonly url: string;
  readonly tables: readonly KeyedTable[];
  readonly rows: ReadonlyMap<string, readonly (readonly SqlValue[])[]>;
}

async function filledAt(levels: Levels, url: string): Promise<Before> {
  const tables = tablesOf(migrationsAt(levels, sets, 'the database'));
  await withStore(url, async (store) => {
    await bringTo(store, levels);
    await fillAll(store, tables, ROWS);
  });
  const filled = tables.filter(({ table }) => !FULL.has(table));
  return { url, tables: filled, rows: await rowsOf(url, filled) };
}

const textOf = (values: readonly SqlValue[]) => JSON.stringify(values.map((value) => (value instanceof Uint8Array ? [...value] : value)));

/** Every row is there as it was, in the columns that it had. */
async function requireKept({ url, tables, rows }: Before): Promise<void> {
  const levels = await withStore(url, (store) => migrationLevels(store));
  assert.deepEqual(levels, LATEST);
  const now = await rowsOf(url, tables);
  for (const [table, before] of rows) {
    assert.ok(before.length >= ROWS, table);
    const after = new Set(now.get(table)?.map(textOf));
    assert.deepEqual(
      before.map(textOf).filter((row) => !after.has(row)),
      [],
      table,
    );
  }
}

for (const database of databases) {
  for (const levels of VERSIONS)
    test(`${database.dialect}: from ${JSON.stringify(levels).replaceAll(/[{}"]/g, '')}`, async () => {
      const before = await filledAt(levels, await database.url());
      await withStore(before.url, (store) => migrate(store, sets, () => 1));
      await requireKept(before);
    });

  test(`${database.dialect}: a start that ends after each step, and is made again`, async () => {
    const before = await filledAt(VERSIONS[0] as Levels, await database.url());
    let starts = 0;
    for (let isDone = false; !isDone; starts += 1)
      await withStore(before.url, async (store) => {
        // The first one looks for the table of migrations.
        let left = 2;
        const ending: Store = {
          ...store,
          transaction: (work, options) => (left-- > 0 ? store.transaction(work, options) : Promise.reject(new Error('killed'))),
        };
        isDone = await migrate(ending, sets, () => 1).then(
          () => true,
          () => false,
        );
      });
    assert.ok(starts > 20, `${starts}`);
    await requireKept(before);
  });

  test(`${database.dialect}: two nodes that start at the same moment`, async () => {
    const before = await filledAt(VERSIONS[0] as Levels, await database.url());
    const start = () => withStore(before.url, (store) => migrate(store, sets, () => 1));
    const [one, other] = await Promise.all([start(), start()]);
    const steps = Object.values(LATEST).reduce((sum, level) => sum + level, 0) - 5;
    assert.equal(one + other, steps);
    await requireKept(before);
  });
}

test('the last version here is that of now: a new migration is added above', () => assert.deepEqual(VERSIONS.at(-1), LATEST));

test.run();
