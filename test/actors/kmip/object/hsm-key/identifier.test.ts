// Identifiers of keys on tokens.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { canonical, placeOf } from '../../../../../actors/kmip/object/hsm-key/identifier.ts';

const ONE = ['hsm::soft_hsm'];

test('a slot has one form, so that a key has one identifier', () => {
  assert.deepEqual(placeOf('hsm::soft_hsm::0::key', ONE, false), { prefix: 'hsm::soft_hsm', slot: 0, name: 'key' });
  assert.deepEqual(placeOf('hsm::7::key', ONE, false), { prefix: 'hsm::soft_hsm', slot: 7, name: 'key' });
  for (const slot of ['00', '07', '+7', '-0', '7 ', '0x7', '7.0', '']) {
    assert.equal(placeOf(`hsm::soft_hsm::${slot}::key`, ONE, false), undefined, slot);
    assert.equal(placeOf(`hsm::${slot}::key`, ONE, false), undefined, slot);
    assert.equal(canonical(`hsm::${slot}::key`, ONE), `hsm::${slot}::key`);
  }
});

test.run();
