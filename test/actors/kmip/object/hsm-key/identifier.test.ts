// Identifiers of keys on tokens.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { canonical, namesById, nextGeneration, placeOf, withPlainSlot } from '../../../../../actors/kmip/object/hsm-identifier.ts';

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

test('no key has an empty name, also no public key', () => {
  for (const name of ['', '_pk']) assert.equal(placeOf(`hsm::soft_hsm::0::${name}`, ONE, true), undefined, name);
  assert.equal(placeOf('hsm::soft_hsm::0::_pk_pk', ONE, true)?.name, '_pk');
});

test('a key-encryption key whose slot is configured with leading zeros is hidden by its one identifier', () => {
  const place = placeOf('hsm::soft_hsm::0::00::kek', ONE, false);
  for (const own of ['hsm::soft_hsm::000::00::kek', 'hsm::00::00::kek', 'hsm::soft_hsm::0::00::kek'])
    assert.deepEqual(placeOf(withPlainSlot(own), ONE, false), place, own);
});

test('the next generation has a name that a new key may have, also where the last had none', () => {
  for (const [id, next] of [
    ['key', 'key::1'],
    ['key::9', 'key::10'],
    ['key_pk', 'key::1_pk'],
    ['key::1_pk', 'key::2_pk'],
    ['0x0102', '0102::1'],
    ['0x0102_pk', '0102::1_pk'],
    [`0x${'ff'.repeat(256)}`, `${'ff'.repeat(36)}::1`],
    ['0102::1', '0102::2'],
  ] as const)
    assert.equal(nextGeneration(`hsm::soft_hsm::0::${id}`), `hsm::soft_hsm::0::${next}`);
});

test('the other names that a CKA_ID gives are its hexadecimal form and its text, and no label', () => {
  const names = (name: string, id: string, label = 'label') =>
    namesById({ name, names: [Buffer.from(id, 'latin1').toString(), label, `0x${Buffer.from(id, 'latin1').toString('hex')}`] });
  assert.deepEqual(names('label', '\u0001'), ['0x01', '\u0001']);
  assert.deepEqual(names('0x6c6f6e67', 'long'), ['long']);
  assert.deepEqual(names('0xff', '\u00ff', '0x02'), []);
  assert.deepEqual(namesById({ name: 'label', names: ['label'] }), []);
});

test.run();
