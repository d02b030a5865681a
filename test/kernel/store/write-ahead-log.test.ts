// The write-ahead log of SQLite: commits copy it into the database seldom, and then it does not grow further.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { openStore } from '../../../kernel/store/open.ts';

const PAGE = 4_096;
/** A commit writes some more than this. */
const PAGES_EACH = 250;
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-log-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

test('the log is copied into the database at 4000 pages, and begins again', async () => {
  const path = join(folder, 'gatehouse.db');
  const store = await openStore(`sqlite:${path}`, { writer: 'w', clock: createClock() });
  await store.transaction((tx) => tx.exec('CREATE TABLE item (n BIGINT PRIMARY KEY, bytes BYTEA)'));
  const write = (n: number) => store.transaction((tx) => tx.run('INSERT INTO item (n, bytes) VALUES ($1, $2)', [n, new Uint8Array(PAGES_EACH * PAGE)]));
  const sizes: { readonly log: number; readonly database: number }[] = [];
  for (let n = 0; n < 24; n++) {
    await write(n);
    sizes.push({ log: statSync(`${path}-wal`).size / PAGE, database: statSync(path).size / PAGE });
  }
  await store.close();
  // Three commits before the copy, the database has nothing of them; after it, as much as the log had.
  const copied = sizes.findIndex(({ database }) => database > 3_000);
  assert.ok(copied > 10 && (sizes[copied - 3]?.database as number) < 100, JSON.stringify(sizes));
  assert.ok(
    sizes.every(({ log }) => log < 4_000 + 2 * PAGES_EACH),
    JSON.stringify(sizes),
  );
});

test.run();
