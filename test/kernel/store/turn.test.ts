// Who waits for the write lock does not hold up the thread, is told when it is free, and comes before those who had it last.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { Turn } from '../../../kernel/store/turn.ts';

const LONG_MS = 60_000;
const cell = () => new Int32Array(new SharedArrayBuffer(4));

test('two writers that always have work take turns', async () => {
  const shared = cell();
  const order: string[] = [];
  let isTaken = false;
  const attempt = () => {
    if (isTaken) return false;
    isTaken = true;
    return true;
  };
  const writer = async (name: string) => {
    const turn = new Turn(shared, LONG_MS);
    for (let round = 0; round < 20; round++) {
      await turn.take(attempt);
      order.push(name);
      // The other one asks meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
      isTaken = false;
      turn.pass();
    }
  };
  await Promise.all([writer('a'), writer('b')]);
  assert.equal(order.join(''), 'ab'.repeat(20));
});

test('if nobody waits, the last holder can take the lock again at once', async () => {
  const turn = new Turn(cell(), LONG_MS);
  let taken = 0;
  for (let round = 1; round <= 3; round++) {
    const taking = turn.take(() => ++taken > 0);
    assert.equal(taken, round);
    await taking;
    turn.pass();
  }
});

test('a lock released without a notification is found free; one that stays is OVERLOADED', async () => {
  let looked = 0;
  await new Turn(cell(), LONG_MS).take(() => ++looked === 3);
  assert.equal(looked, 3);
  await assert.rejects(
    new Turn(cell(), 0).take(() => false),
    { code: 'OVERLOADED' },
  );
});

test('SQLite: while another connection writes, the thread goes on, and the transaction follows', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-turn-'));
  const file = join(folder, 'store.db');
  const store = await openStore(`sqlite:${file}`, { writer: 'w', clock: createClock() });
  await store.transaction((tx) => tx.exec('CREATE TABLE item (n BIGINT)'));
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE; INSERT INTO item (n) VALUES (1)');
  const seen = store.transaction((tx) => tx.all<{ n: number }>('SELECT n FROM item'));
  // Were it SQLite that waits, nothing here would run before its time is up, and the transaction would have failed.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  assert.deepEqual(await store.all('SELECT n FROM item'), []);
  other.exec('COMMIT');
  assert.deepEqual(
    (await seen).map(({ n }) => n),
    [1],
  );
  other.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

test.run();
