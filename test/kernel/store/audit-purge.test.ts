// The removal of old audit rows on both databases: in short transactions, the oldest rows first, and never the newest row of a stream.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { purgeAudit } from '../../../kernel/store/audit-query.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { testDatabases } from '../../stores.ts';

const DAY_MS = 86_400_000;
const NOW = 100 * DAY_MS;
const [OLD, NEW] = [2_500, 7] as const;

const databases = await testDatabases();
test.after(async () => {
  for (const database of databases) await database.stop();
});

/** Rows of a stream: old ones, then new ones. */
async function fill(store: Store, stream: string, old: number, fresh: number): Promise<void> {
  const sql = "INSERT INTO audit (stream, seq, time, event, outcome, prev) VALUES ($1, $2, $3, 'sample', 'success', '')";
  await store.transaction(async (tx) => {
    for (let seq = 1; seq <= old + fresh; seq++) await tx.run(sql, [stream, seq, seq <= old ? seq : NOW]);
  });
}

for (const database of databases)
  test(`${database.dialect}: many old rows go a thousand at a time, and others write meanwhile`, async () => {
    const store = await openStore(await database.url(), { writer: 'w', clock: createClock() });
    try {
      await migrate(store, [], () => NOW);
      await fill(store, 'busy', OLD, NEW);
      await fill(store, 'ended', 5, 0);
      const deleted: number[] = [];
      let before: number | undefined;
      const watched: Store = {
        ...store,
        async transaction(work, options) {
          // Asked for while the purge waits for its next transaction: it is not kept waiting for the rest of the purge.
          if (deleted.length === 1) await store.transaction((tx) => tx.audit({ event: 'meanwhile', outcome: 'success' }));
          const rows = await store.transaction(work, options);
          deleted.push(Number(rows));
          before ??= (await store.get<{ first: number }>("SELECT MIN(seq) AS first FROM audit WHERE stream = 'busy'"))?.first;
          return rows;
        },
      };
      assert.equal(await purgeAudit(watched, 30, NOW), OLD + 4);
      assert.deepEqual(deleted, [1_000, 1_000, OLD + 4 - 2_000]);
      // The five rows of the other stream are as old as the first ones of this, and the newest of them stays.
      assert.equal(before, 1_000 - 4 + 1);
      const left = await store.all<{ stream: string; seq: number }>('SELECT stream, seq FROM audit ORDER BY stream, seq');
      const expected = [
        ...Array.from({ length: NEW }, (_, at) => ({ stream: 'busy', seq: OLD + at + 1 })),
        { stream: 'ended', seq: 5 },
        { stream: 'w', seq: 1 },
      ];
      assert.deepEqual(
        left.map((row) => ({ ...row })),
        expected,
      );
      assert.equal(await purgeAudit(store, 30, NOW), 0);
    } finally {
      await store.close();
    }
  });

test.run();
