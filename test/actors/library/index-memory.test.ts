// The words of all bases share a part of the memory of one thread: bases that nobody asks make room, and one that does not fit is refused, and nothing else.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { test } from 'uvu';
import { BaseIndex } from '../../../actors/library/base-index.ts';
import { Indexes } from '../../../actors/library/indexes.ts';
import { ReferenceKeys } from '../../../actors/library/reference-keys.ts';
import { deleteReference, insertReference, touchBase } from '../../../actors/library/rows.ts';
import { createClock } from '../../../kernel/clock.ts';
import { DataKey } from '../../../kernel/keys/data-key.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { AI_MIGRATIONS } from '../../../plugins/ai/migrations.ts';
import { memoryLog } from '../../runtime.ts';
import { temporaryFolder } from '../../server.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const WORDS = 4_000;
const IN_PASSAGE = 100;
const folder = temporaryFolder();
const clock = createClock();
const keys = new ReferenceKeys(new DataKey('documents', new Uint8Array(randomBytes(32)), clock.now), () => assert.fail('a row was not written by the server'));
let store: Store;

test.before(async () => {
  store = await openStore(`sqlite:${join(folder, 'test.db')}`, { writer: 'test', clock });
  await migrate(store, [{ owner: 'ai', migrations: AI_MIGRATIONS }], clock.now);
});
test.after(async () => {
  await store?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Each word is in one place of one reference only. */
const wordOf = (id: string, number: number) => `${id}${[...number.toString(8)].map((digit) => 'bcdfghjk'[Number(digit)]).join('')}q`;
const passagesOf = (id: string, words = WORDS) =>
  Array.from({ length: words / IN_PASSAGE }, (_, passage) => ({
    text: Array.from({ length: IN_PASSAGE }, (_none, word) => wordOf(id, passage * IN_PASSAGE + word)).join(' '),
  }));

const add = (base: string, id: string, words?: number) =>
  keys.retrying(store, () =>
    store.transaction(async (tx) => {
      await touchBase(tx, base, 0);
      await insertReference(tx, keys, id, { base, name: id, kind: 'docx', title: '', sha256: '', passages: passagesOf(id, words) }, 0);
    }),
  );
const remove = (base: string, id: string) =>
  store.transaction(async (tx) => {
    assert.ok(await deleteReference(tx, base, id));
    await touchBase(tx, base, 0);
  });

async function bytesOf(words: number): Promise<number> {
  const index = new BaseIndex();
  const rows = passagesOf('measure', words).map(({ text }, ordinal) => ({ reference_id: 'measure', ordinal, text, chapter: '', page: 0 }));
  await index.add('measure', 'measure', '', rows);
  return index.bytes;
}

test('bases of which nobody has asked for the longest time make room, and are read anew', async () => {
  for (const base of ['one', 'two', 'three']) await add(base, `of${base}`);
  const indexes = new Indexes({ store, keys, log: memoryLog().log, maxBytes: 2.2 * (await bytesOf(WORDS)) });
  const [one, two] = [await indexes.fresh('one'), await indexes.fresh('two')];
  assert.equal(await indexes.fresh('one'), one);
  await indexes.fresh('three');
  assert.equal(await indexes.fresh('one'), one, 'asked for later than two');
  const again = await indexes.fresh('two');
  assert.notEqual(again, two);
  assert.equal((await again.search(wordOf('oftwo', 7), 1)).length, 1);
});

test('a base that does not fit is refused without being read again, until it has changed', async () => {
  await add('small', 'little');
  await add('large', 'first');
  await add('large', 'huge', 5 * WORDS);
  let reads = 0;
  const all: Store['all'] = (sql, params) => {
    if (sql.includes('ai_passage')) reads += 1;
    return store.all(sql, params);
  };
  const counting: Store = { ...store, get: store.get.bind(store), all };
  const indexes = new Indexes({ store: counting, keys, log: memoryLog().log, maxBytes: 2.2 * (await bytesOf(WORDS)) });
  await assert.rejects(indexes.fresh('large'), { code: 'AI_BASE_TOO_LARGE' });
  const before = reads;
  await assert.rejects(indexes.fresh('large'), { code: 'AI_BASE_TOO_LARGE' });
  assert.equal(reads, before);
  assert.equal((await (await indexes.fresh('small')).search(wordOf('little', 3), 1)).length, 1, 'others are served');
  await remove('large', 'huge');
  const index = await indexes.fresh('large');
  assert.equal((await index.search(wordOf('first', 3), 1)).length, 1);
  assert.deepEqual(await index.search(wordOf('huge', 3), 1), []);
});

test('what an index says that it takes is no less than half of what it takes, and no more than three times', async () => {
  const words = 60_000;
  collect();
  const before = process.memoryUsage().heapUsed;
  const index = new BaseIndex();
  const rows = passagesOf('weighed', words).map(({ text }, ordinal) => ({ reference_id: 'weighed', ordinal, text, chapter: '', page: 0 }));
  await index.add('weighed', 'weighed', '', rows);
  collect();
  const taken = process.memoryUsage().heapUsed - before;
  assert.ok(index.bytes > taken / 2 && index.bytes < taken * 3, `${index.bytes} of ${taken}`);
});

test.run();
