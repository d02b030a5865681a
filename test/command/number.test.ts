// Numbers of flags: whole ones within their bounds, and a refusal of a unit that says where the right one stands.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { whole } from '../../command/number.ts';

test('a number with a unit is refused with what is wrong about it', () => {
  for (const text of ['10m', '8 h', '30s', '1024KB'])
    assert.throws(() => whole('--ttl', text), { message: '--ttl must be a whole number from 0 on, without a unit: --help tells which it has' }, text);
  for (const text of ['', '-1', '1.5', '0x10', 'many', '1e3'])
    assert.throws(() => whole('--ttl', text), { message: '--ttl must be a whole number from 0 on' }, text);
});

test('whole numbers from the least on are taken', () => {
  assert.deepEqual([whole('--ttl', '0'), whole('--ttl', '28800', 1), whole('--ttl', undefined)], [0, 28_800, undefined]);
  assert.throws(() => whole('--limit', '0', 1), { message: '--limit must be a whole number from 1 on' });
});

test.run();
