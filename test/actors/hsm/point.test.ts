// Points of public keys as tokens tell them: wrapped in an octet string, or bare.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { bare, octetString } from '../../../actors/hsm/token/point.ts';

test('a point is told from its wrapping, whatever its first bytes look like', () => {
  for (const length of [32, 57, 65, 97, 133])
    for (const second of [0, 1, 4, length - 2, length - 3]) {
      const point = Uint8Array.of(4, second, ...new Uint8Array(length - 2).fill(4));
      for (const each of [point, octetString(point)]) assert.deepEqual([...bare(each)], [...point], `${length} bytes, the second ${second}`);
    }
});

test.run();
