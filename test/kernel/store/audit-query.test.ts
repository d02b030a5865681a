// The audit log is read page by page with any filters: each row once, in order, and no page looks at more than a fixed number of rows.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { type AuditQuery, queryAudit } from '../../../kernel/store/audit-query.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { testDatabases } from '../../stores.ts';

const COUNT = 45_000;
/** Two rows of the busy actor. */
const RARE = [21_000, 21_002];
const DIGITS = `WITH RECURSIVE counted (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < ${COUNT - 1})`;

const databases = await testDatabases();
test.after(async () => {
  for (const database of databases) await database.stop();
});

/** Pairs of rows have the same time; every second one is the busy actor's, and of three events one is rare. */
async function fill(store: Store): Promise<void> {
  await migrate(store, [], () => 0);
  await store.transaction((tx) =>
    tx.run(
      `INSERT INTO audit (stream, seq, time, realm, actor, event, outcome, prev) ${DIGITS}
        SELECT 'filled', n + 1, n / 2, CASE WHEN n % 3 = 0 THEN 'one' ELSE 'two' END, CASE WHEN n % 2 = 0 THEN 'busy' ELSE 'other' END,
          CASE WHEN n IN (${RARE.join(', ')}) THEN 'rare' WHEN n % 5 = 0 THEN 'fifth' ELSE 'usual' END, 'success', '' FROM counted`,
    ),
  );
}

type Filter = Partial<Pick<AuditQuery, 'realm' | 'event' | 'actor' | 'isNewestFirst'>>;
const NONE = { realm: undefined, event: undefined, actor: undefined };

/** All pages. @returns the places of the rows, and how many pages there were */
async function readAll(store: Store, filter: Filter, limit: number) {
  const found: number[] = [];
  let after: string | undefined;
  for (let pages = 1; ; pages++) {
    const { items, next } = await queryAudit(store, { ...NONE, ...filter, after, limit });
    found.push(...items.map(({ seq }) => Number(seq) - 1));
    if (next === null) return { found, pages };
    after = next;
  }
}

const places = (fits: (at: number) => boolean) => Array.from({ length: COUNT }, (_, at) => at).filter(fits);

for (const database of databases)
  test(`${database.dialect}: filters together, first to last and last to first`, async () => {
    const store = await openStore(await database.url(), { writer: 'w', clock: createClock() });
    try {
      await fill(store);
      const both = places((at) => at % 6 === 0 && at % 5 !== 0 && !RARE.includes(at));
      assert.deepEqual((await readAll(store, { realm: 'one', actor: 'busy', event: 'usual' }, 1_000)).found, both);
      assert.deepEqual((await readAll(store, { realm: 'one', actor: 'busy', event: 'usual', isNewestFirst: true }, 999)).found, both.toReversed());
      assert.deepEqual((await readAll(store, { event: 'rare' }, 100)).found, RARE);
      const rare = await readAll(store, { actor: 'busy', event: 'rare' }, 100);
      assert.deepEqual(rare.found, RARE);
      // 22 500 rows are the busy actor's: pages of at most 10 000.
      assert.equal(rare.pages, 3);
      assert.deepEqual(await readAll(store, { actor: 'other', event: 'rare' }, 100), { found: [], pages: 3 });
      assert.deepEqual(await readAll(store, { actor: 'nobody', event: 'rare' }, 100), { found: [], pages: 1 });
      await assert.rejects(queryAudit(store, { ...NONE, actor: 'busy', event: 'rare', after: 'xyz', limit: 1 }), /cursor/);
    } finally {
      await store.close();
    }
  });

test.run();
