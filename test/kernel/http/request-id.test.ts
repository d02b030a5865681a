// IDs of requests are random UUIDs, also beyond one pool of random bytes.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { newRequestId } from '../../../kernel/http/request-id.ts';

const COUNT = 10_000;
const ids = Array.from({ length: COUNT }, newRequestId);

test('each is a UUID of version 4 in the variant of RFC 9562', () => {
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('none comes twice', () => {
  assert.equal(new Set(ids).size, COUNT);
});

test('every digit but those of version and variant takes every value', () => {
  const seen = Array.from({ length: 36 }, () => new Set<string>());
  for (const id of ids) for (const [place, digit] of [...id].entries()) seen[place]?.add(digit);
  const fixed = new Map([8, 13, 14, 18, 23].map((place) => [place, 1]));
  assert.deepEqual(
    seen.map(({ size }) => size),
    seen.map((_, place) => (place === 19 ? 4 : (fixed.get(place) ?? 16))),
  );
});

test.run();
