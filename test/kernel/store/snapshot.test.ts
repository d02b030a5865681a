// Snapshots of both databases yield every row in order, with a few in memory, however large they are.
import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { openSnapshot } from '../../../kernel/store/snapshot.ts';
import { testDatabases } from '../../stores.ts';

const databases = await testDatabases();
test.after(async () => {
  for (const database of databases) await database.stop();
});

const MIB = 1_048_576;
const [LARGE, SIZE_MIB, SMALL] = [48, 4, 300] as const;
/** What one fetch and the buffers of its connection hold; all large rows have three times as much. */
const MOST_MIB = 64;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function bytesHeld(): number {
  collect();
  return process.memoryUsage().arrayBuffers;
}

for (const database of databases)
  test(`${database.dialect}: many small rows and many large ones, in their order`, async () => {
    const url = await database.url();
    const store = await openStore(url, { writer: 'test', clock: createClock() });
    await store.transaction((tx) => tx.exec('CREATE TABLE sample (n BIGINT PRIMARY KEY, words TEXT, bytes BYTEA, others BYTEA)'));
    const large = new Uint8Array(SIZE_MIB * MIB);
    await store.transaction(async (tx) => {
      for (let n = 0; n < SMALL + LARGE; n += 1) {
        const bytes = n < SMALL ? (n % 3 === 0 ? null : Uint8Array.of(n & 0xff)) : large;
        await tx.run('INSERT INTO sample VALUES ($1, $2, $3, $4)', [n, n % 2 === 0 ? null : `t${n}`, bytes, null]);
      }
    });
    await store.close();
    const snapshot = await openSnapshot(url);
    for (const rest of ['ORDER BY n', database.dialect === 'sqlite' ? 'ORDER BY n LIMIT -1 OFFSET 7' : 'ORDER BY n OFFSET 7']) {
      let next = rest.endsWith('7') ? 7 : 0;
      let peak = 0;
      const before = bytesHeld();
      for await (const [n, words, bytes, others] of snapshot.rows({ table: '"sample"', columns: ['n', 'words', 'bytes', 'others'], rest })) {
        if (next > SMALL && next % 8 === 0) peak = Math.max(peak, bytesHeld() - before);
        const length = next < SMALL ? (next % 3 === 0 ? undefined : 1) : SIZE_MIB * MIB;
        assert.deepEqual([n, words, (bytes as Uint8Array | null)?.length, others], [next, next % 2 === 0 ? null : `t${next}`, length, null]);
        next += 1;
      }
      assert.equal(next, SMALL + LARGE);
      assert.ok(peak < MOST_MIB * MIB, `${Math.round(peak / MIB)} MiB at once`);
    }
    await snapshot.close();
  });

test.run();
