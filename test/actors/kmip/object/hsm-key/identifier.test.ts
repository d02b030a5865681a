// Identifiers of keys on tokens.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { canonical, placeOf, withPlainSlot } from '../../../../../actors/kmip/object/hsm-key/identifier.ts';

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

test('a key-encryption key whose slot is configured with leading zeros is hidden by its one identifier', () => {
  const place = placeOf('hsm::soft_hsm::0::00::kek', ONE, false);
  for (const own of ['hsm::soft_hsm::000::00::kek', 'hsm::00::00::kek', 'hsm::soft_hsm::0::00::kek'])
    assert.deepEqual(placeOf(withPlainSlot(own), ONE, false), place, own);
});

test.run();
