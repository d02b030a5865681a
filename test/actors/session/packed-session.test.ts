// Sessions that were not used lately are kept as text: they are the same sessions, and take no more memory than the cache says.
import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { test } from 'uvu';
import { Cache } from '../../../actors/session/cache.ts';
import { packSession, unpackSession } from '../../../actors/session/packed-session.ts';
import { readRow, type StoredSession } from '../../../actors/session/rows.ts';
import { claims, idOf, many, reader, SHAPES } from './made-up-rows.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

const packing = { unpacked: 16, pack: packSession, unpack: (id: string, text: string) => unpackSession(id, text, undefined) };

/** Few and many characters, and such that take two bytes. */
for (const name of ['no claims', 'nested objects', 'text of two bytes']) {
  const shape = SHAPES[name] as (at: number) => string;
  test(`packed memory is no more than was said: ${name}`, async () => {
    const maxBytes = 16_777_216;
    const cache = new Cache<StoredSession>(
      maxBytes,
      ({ bytes }) => bytes,
      () => 1,
      packing,
    );
    gc();
    const before = process.memoryUsage().heapUsed;
    let rows = 0;
    for (let characters = 0; characters < 1.5 * maxBytes; rows++) {
      const text = shape(rows);
      await cache.fill(idOf(rows), () => readRow(reader(text), idOf(rows)));
      characters += text.length + 512;
    }
    gc();
    const held = process.memoryUsage().heapUsed - before;
    assert.ok(held < maxBytes * 1.1, `${held} bytes are held`);
    const row = cache.get(idOf(rows - 100));
    assert.deepEqual(row, await readRow(reader(shape(rows - 100)), idOf(rows - 100)));
    assert.equal(cache.get(idOf(0)), undefined);
  });
}

test('a packed session is the same session; a use that is not written yet stays one object', async () => {
  const text = claims({ text: 'ä \u0416 "quoted"', nested: { list: [1, null, true, { a: 0.5 }] } }, ['one', 'two']);
  const session = (await readRow(reader(text), idOf(1))) as StoredSession;
  const packed = packSession(session);
  assert.deepEqual(unpackSession(session.id, packed, undefined), session);
  assert.equal(unpackSession(session.id, packed, session.use).use, session.use);
});

test('what was not used lately is packed, in the same order, and found stale or deleted like the rest', async () => {
  const versions = new Map<string, number>();
  const cache = new Cache<{ readonly id: string }>(
    100_000,
    () => 100,
    ({ id }) => versions.get(id) ?? 0,
    { unpacked: 2, pack: ({ id }) => id, unpack: (id, text) => ({ id: `${id} ${text}`.split(' ')[1] as string }) },
  );
  const values = new Map<string, object>();
  for (const id of ['a', 'b', 'c', 'd']) values.set(id, (await cache.fill(id, async () => ({ id }))) as object);
  const isSame = (id: string) => {
    const value = cache.get(id);
    return value && value === values.get(id);
  };
  assert.deepEqual(['c', 'd'].map(isSame), [true, true]);
  // It was packed, is used now, and so another one is packed in its place.
  assert.deepEqual([isSame('a'), cache.get('a'), isSame('c')], [false, { id: 'a' }, false]);
  versions.set('b', 1);
  assert.equal(cache.get('b'), undefined);
  versions.set('b', 0);
  assert.equal(cache.get('b'), undefined);
  cache.delete('d');
  assert.equal(cache.get('d'), undefined);
  assert.deepEqual([cache.get('a'), cache.get('c')], [{ id: 'a' }, { id: 'c' }]);
});

test('packed values leave before others when there is no room', async () => {
  const cache = new Cache<{ readonly id: string }>(
    1_000,
    () => 10,
    () => 1,
    { unpacked: 10, pack: ({ id }) => id, unpack: (id) => ({ id }) },
  );
  const ids = many(20, (at) => `s${String(at).padStart(2, '0')}`);
  for (const id of ids) await cache.fill(id, async () => ({ id }));
  const held = ids.filter((id) => cache.get(id) !== undefined);
  // Ten values of 10 bytes, and three texts of 3 bytes with their overhead of 256.
  assert.deepEqual(held, ids.slice(-13));
});

test.run();
