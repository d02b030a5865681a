// Which objects the cache of a thread lets go of when more are read than it holds.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { ObjectCache } from '../../../../actors/kmip/object/rows/cache.ts';
import { objectCounter } from '../../../../actors/kmip/object/rows/counter.ts';
import type { ObjectRows } from '../../../../actors/kmip/object/rows/rows.ts';
import type { Reader } from '../../../../kernel/store/store.ts';
import { createVersions } from '../../../../kernel/versions.ts';
import { draft } from '../../../fakes/objects.ts';

const SIZE = 4;

function cacheOver(grants = new Map<string, ReadonlySet<string>>()) {
  let reads = 0;
  const read = async (_from: Reader, id: string) => {
    reads += 1;
    return { object: draft(id), contentBytes: 0 };
  };
  const rows = { readSmall: read, grantsOf: async () => grants } as unknown as ObjectRows;
  const store = { all: async () => [], get: async () => undefined } as Reader;
  const versions = createVersions();
  return { cache: new ObjectCache(rows, store, versions, SIZE), reads: () => reads, versions };
}

test('a key in use outlasts a stream of others that are read once', async () => {
  const { cache, reads } = cacheOver();
  await cache.get('hot', true);
  for (let other = 0; other < 100; other++) {
    assert.ok(cache.peek('hot'), `gone after ${other} others`);
    await cache.get(`cold ${other}`, true);
  }
  assert.equal(reads(), 101);
});

test('what is not used again goes in the order of arrival; where all are used, the oldest goes', async () => {
  const { cache } = cacheOver();
  const held = () => ['a', 'b', 'c', 'd', 'e', 'f'].filter((id) => cache.peek(id));
  for (const id of ['a', 'b', 'c', 'd', 'e']) await cache.get(id, true);
  // Looking at them is a use of each.
  assert.deepEqual(held(), ['b', 'c', 'd', 'e']);
  await cache.get('f', true);
  assert.equal(held().length, SIZE);
  assert.ok(cache.peek('f'));
});

test('an object with as many grants as there can be is kept, if their names are short', async () => {
  const granted = (name: string) => new Map(Array.from({ length: 10_000 }, (_, n) => [`${name}${n}`, new Set(['encrypt', 'decrypt'])] as const));
  const [shared] = granted('').values();
  const { cache } = cacheOver(new Map([...granted('realm/user').keys()].map((user) => [user, shared as Set<string>])));
  await cache.get('a', true);
  assert.ok(cache.peek('a'));
  const { cache: other } = cacheOver(granted('n'.repeat(500)));
  await other.get('a', true);
  assert.equal(other.peek('a'), undefined);
});

test('a change is seen at the next look', async () => {
  const { cache, reads, versions } = cacheOver();
  await cache.get('a', true);
  versions.bump(objectCounter('a'));
  assert.equal(cache.peek('a'), undefined);
  await cache.get('a', true);
  assert.equal(reads(), 2);
});

test.run();
