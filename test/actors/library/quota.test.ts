// The room in a base for one more reference, while others add and delete the same one between two questions of the database.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { othersOf, requireQuota, requireRoom } from '../../../actors/library/quota.ts';
import { createClock } from '../../../kernel/clock.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import type { Reader, Store } from '../../../kernel/store/store.ts';
import { AI_MIGRATIONS } from '../../../plugins/ai/migrations.ts';
import { temporaryFolder } from '../../server.ts';

const QUOTAS = { bases: 0, references_per_base: 2, passages_per_base: 4 };
const BASE = 'documents';
const full = (quota: string) => ({ code: 'AI_QUOTA_EXCEEDED', detail: new RegExp(`^\\[ai\\.quotas\\] ${quota}: `) });
const folder = temporaryFolder();
const clock = createClock();
let store: Store;

test.before(async () => {
  store = await openStore(`sqlite:${join(folder, 'test.db')}`, { writer: 'test', clock });
  await migrate(store, [{ owner: 'ai', migrations: AI_MIGRATIONS }], clock.now);
});
test.before.each(() => store.transaction(async (tx) => void (await Promise.all([tx.run('DELETE FROM ai_reference'), tx.run('DELETE FROM ai_passage')]))));
test.after(async () => {
  await store?.close();
  rmSync(folder, { recursive: true, force: true });
});

const add = (name: string, passages = 1) =>
  store.transaction(async (tx) => {
    await tx.run(`INSERT INTO ai_reference (id, base, name, kind, title, sha256, added_at) VALUES ($1, $2, $1, 'docx', '', '', 0)`, [name, BASE]);
    for (let ordinal = 0; ordinal < passages; ordinal++)
      await tx.run(`INSERT INTO ai_passage (reference_id, ordinal, chapter, page, text) VALUES ($1, $2, '', 0, '')`, [name, ordinal]);
  });

/** The same store, which somebody changes after the first question. */
function changedAfterTheFirst(change: () => Promise<unknown>): Reader {
  let changed: Promise<unknown> | undefined;
  return {
    get: async <T extends object>(sql: string, params?: readonly (string | number)[]) => {
      const row = await store.get<T>(sql, params);
      changed ??= change();
      await changed;
      return row;
    },
    all: (sql, params) => store.all(sql, params),
  };
}

test('a full base has no room for another reference, and a reference that is there can be replaced', async () => {
  for (const name of ['one', 'two']) await add(name);
  await requireRoom(store, QUOTAS, BASE, 'two');
  await assert.rejects(requireRoom(store, QUOTAS, BASE, 'three'), full('references_per_base'));
});

test('a reference that was deleted a moment ago, and is there again, has room', async () => {
  await add('one');
  await requireRoom(
    changedAfterTheFirst(() => add('two')),
    QUOTAS,
    BASE,
    'two',
  );
});

test('a reference may take what the others leave, and above the quota no more than it had', async () => {
  await add('one');
  await add('two', 2);
  const others = await othersOf(store, QUOTAS, BASE, 'two');
  assert.deepEqual(others, { references_per_base: 1, passages_per_base: 1 });
  requireQuota(QUOTAS, BASE, others, 3, 2);
  requireQuota(QUOTAS, BASE, others, 3, undefined);
  assert.throws(() => requireQuota(QUOTAS, BASE, others, 4, 2), full('passages_per_base'));
  requireQuota(QUOTAS, BASE, others, 5, 6);
  assert.throws(() => requireQuota(QUOTAS, BASE, { ...others, references_per_base: 2 }, 1, undefined), full('references_per_base'));
  requireQuota(QUOTAS, BASE, { ...others, references_per_base: 2 }, 1, 1);
});

test.run();
