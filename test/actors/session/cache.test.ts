// The cache of sessions holds no more memory than it says, whatever the shape of the claims, and what is large does not push all others out.
import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { test } from 'uvu';
import { Cache } from '../../../actors/session/cache.ts';
import { readRow, type StoredSession } from '../../../actors/session/rows.ts';
import { claims, idOf, many, reader, SHAPES } from './made-up-rows.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;
const MAX_BYTES = 33_554_432;

const cacheOf = (maxBytes: number) =>
  new Cache<StoredSession>(
    maxBytes,
    ({ bytes }) => bytes,
    () => 1,
  );

for (const [name, shape] of Object.entries(SHAPES)) {
  test(`memory is no more than was said: ${name}`, async () => {
    const cache = cacheOf(MAX_BYTES);
    gc();
    const before = process.memoryUsage().heapUsed;
    let rows = 0;
    // Half as much again as there is room for.
    for (let said = 0; said < 1.5 * MAX_BYTES; rows++) {
      const row = await cache.fill(idOf(rows), () => readRow(reader(shape(rows)), `${rows}`));
      said += row?.bytes ?? 0;
    }
    gc();
    const held = process.memoryUsage().heapUsed - before;
    assert.ok(held < MAX_BYTES * 1.1, `${held} bytes are held`);
    const isHeld = (at: number) => cache.get(idOf(at)) !== undefined;
    assert.ok(isHeld(rows - 1) && !isHeld(0));
  });
}

test('one that is too large is not kept, and pushes nobody out', async () => {
  const cache = cacheOf(MAX_BYTES);
  const fill = (id: string, text: string) => cache.fill(id, () => readRow(reader(text), id));
  await fill('small', claims({}));
  const large = await fill('large', claims({ a: 'x'.repeat(100_000) }));
  assert.equal(large?.id, 'large');
  assert.deepEqual([cache.get('large'), cache.get('small')?.id], [undefined, 'small']);
  const none = cacheOf(0);
  assert.equal((await none.fill('small', () => readRow(reader(claims({})), 'small')))?.id, 'small');
  assert.equal(none.get('small'), undefined);
});

test('as much is held as was said, to the byte, and the least recently used goes first', async () => {
  const versions = new Map<string, number>();
  const cache = new Cache<{ readonly id: string; readonly bytes: number }>(
    256,
    ({ bytes }) => bytes,
    ({ id }) => versions.get(id) ?? 0,
  );
  const fill = (id: string, bytes: number) => cache.fill(id, async () => ({ id, bytes }));
  const ids = many(64, (at) => `s${at}`);
  // A sixty-fourth of all is the most that one may take.
  await fill('large', 5);
  assert.equal(cache.get('large'), undefined);
  for (const id of ids) await fill(id, 4);
  await fill('s0', 4);
  assert.ok(ids.every((id) => cache.get(id)?.id === id));
  // Looked at last, these two are the most recently used.
  cache.get('s0');
  cache.get('s1');
  await fill('one more', 4);
  assert.deepEqual(
    ['s0', 's1', 's2', 's3', 'one more'].map((id) => cache.get(id)?.id),
    ['s0', 's1', undefined, 's3', 'one more'],
  );
  // What was found stale is gone, and has left its room.
  versions.set('s3', 1);
  assert.equal(cache.get('s3'), undefined);
  versions.set('s3', 0);
  assert.equal(cache.get('s3'), undefined);
  await fill('another', 4);
  assert.equal(cache.get('s4')?.id, 's4');
});

test('what ends or changes while it is read is answered, and not kept', async () => {
  let version = 1;
  const cache = new Cache<{ readonly at: number }>(
    256,
    () => 1,
    () => version,
  );
  for (const happens of [() => cache.delete('other'), () => cache.delete('s'), () => (version += 1)]) {
    let reads = 0;
    const read = async () => {
      reads += 1;
      if (reads === 2) happens();
      return { at: reads };
    };
    assert.deepEqual(await cache.fill('s', read), { at: 2 });
    assert.equal(cache.get('s'), undefined);
  }
  assert.deepEqual(await cache.fill('s', async () => ({ at: 1 })), { at: 1 });
  assert.deepEqual(cache.get('s'), { at: 1 });
});

test.run();
