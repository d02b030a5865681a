// What a client may give a new object, and in which form it is kept.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { newAttributes } from '../../../../actors/kmip/object/attributes/new-attributes.ts';
import { refusalOf } from '../../../../kmip/crypto-refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { bytes, dateTime, enumeration, integer, longInteger, type Node, structure, text } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';

const { SymmetricKey, PrivateKey } = ENUM.ObjectType;

const vendor = (party: string, called: string, value: string): Node =>
  structure(TAG.Attribute, [text(TAG.VendorIdentification, party), text(TAG.AttributeName, called), text(TAG.AttributeValue, value)]);
const name = structure(TAG.Name, [text(TAG.NameValue, 'a'), enumeration(TAG.NameType, 1)]);
const create = (...attributes: Node[]) => newAttributes(structure(TAG.RequestPayload, [structure(TAG.Attributes, attributes)]), SymmetricKey, TAG.Attributes);
const refused = (reason: string) => (error: unknown) => refusalOf(error)?.reason === reason;

test('attributes are kept in the form of the specification', () => {
  const limits = (...count: Node[]) => structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, 9n), ...count, enumeration(TAG.UsageLimitsUnit, 1)]);
  const set = create(text(TAG.RotateName, 'set'), limits(longInteger(TAG.UsageLimitsCount, 1n)), enumeration(TAG.ObjectType, SymmetricKey));
  assert.deepEqual(set.first(TAG.RotateName)?.value, [text(TAG.RotateNameValue, 'set'), enumeration(TAG.RotateNameType, 1)]);
  assert.deepEqual(set.first(TAG.UsageLimits), limits(longInteger(TAG.UsageLimitsCount, 9n)));
  assert.equal(set.has(TAG.ObjectType), false);
});

test('what only the server sets, or what is there twice, is refused', () => {
  assert.throws(() => create(enumeration(TAG.State, 2)), refused('AttributeReadOnly'));
  assert.throws(() => create(bytes(TAG.KeyMaterial, new Uint8Array(1))), refused('InvalidAttribute'));
  assert.throws(() => create(integer(TAG.CryptographicLength, 128), integer(TAG.CryptographicLength, 256)), refused('AttributeSingleValued'));
  assert.throws(() => create(name, name), refused('NonUniqueNameAttribute'));
  assert.throws(() => create(vendor('cosmian', 'tag', '["_kk"]')), refused('InvalidAttributeValue'));
  assert.throws(() => create(vendor('cosmian', 'tag', '["a"]'), vendor('cosmian', 'tag', '["b"]')), refused('AttributeSingleValued'));
  assert.throws(() => create(structure(TAG.Name, [integer(TAG.NameValue, 1), enumeration(TAG.NameType, 1)])), refused('InvalidAttributeValue'));
  assert.throws(() => create(...Array.from({ length: 257 }, (_, place) => vendor('x', `${place}`, ''))), refused('ServerLimitExceeded'));
});

test('an ObjectType that contradicts the object is refused, but for one that both keys of a pair are given', () => {
  const privateKey = enumeration(TAG.ObjectType, PrivateKey);
  assert.throws(() => create(privateKey), refused('InvalidField'));
  const pair = structure(TAG.RequestPayload, [structure(TAG.CommonAttributes, [privateKey]), structure(TAG.PublicKeyAttributes, [privateKey])]);
  assert.equal(newAttributes(pair, ENUM.ObjectType.PublicKey, TAG.CommonAttributes).has(TAG.ObjectType), false);
  assert.throws(() => newAttributes(pair, ENUM.ObjectType.PublicKey, TAG.CommonAttributes, TAG.PublicKeyAttributes), refused('InvalidField'));
});

test('a value that is given twice is there once', () => {
  const [one, other] = [text(TAG.ObjectGroup, 'one'), text(TAG.ObjectGroup, 'other')];
  const set = create(one, other, one, vendor('x', 'a', '1'), vendor('x', 'b', '1'), vendor('x', 'a', '1'));
  assert.deepEqual(set.nodes(), [one, other, vendor('x', 'a', '1'), vendor('x', 'b', '1'), integer(TAG.CryptographicUsageMask, 0x200000)]);
});

test('dates of use lie within the active life, and limits are not negative', () => {
  const [early, late] = [2 ** 31, 2 ** 32];
  create(dateTime(TAG.ActivationDate, early), dateTime(TAG.ProcessStartDate, early), dateTime(TAG.ProtectStopDate, late), dateTime(TAG.DeactivationDate, late));
  const invalid = refused('InvalidAttributeValue');
  assert.throws(() => create(dateTime(TAG.ActivationDate, late), dateTime(TAG.ProcessStartDate, early)), invalid);
  assert.throws(() => create(dateTime(TAG.ProtectStopDate, late), dateTime(TAG.DeactivationDate, early)), invalid);
  assert.throws(() => create(structure(TAG.UsageLimits, [longInteger(TAG.UsageLimitsTotal, -1n), enumeration(TAG.UsageLimitsUnit, 1)])), invalid);
});

test('what one key has goes before what both have, vendor attributes by name', () => {
  const both = structure(TAG.CommonAttributes, [integer(TAG.CryptographicLength, 2048), vendor('x', 'a', '1'), vendor('x', 'b', '1')]);
  const own = structure(TAG.PrivateKeyAttributes, [integer(TAG.CryptographicLength, 3072), vendor('x', 'a', '2')]);
  const set = newAttributes(structure(TAG.RequestPayload, [both, own]), PrivateKey, TAG.CommonAttributes, TAG.PrivateKeyAttributes);
  assert.deepEqual(set.all(TAG.CryptographicLength), [{ index: 0, node: integer(TAG.CryptographicLength, 3072) }]);
  assert.deepEqual(
    set.all(TAG.Attribute).map(({ node }) => node),
    [vendor('x', 'b', '1'), vendor('x', 'a', '2')],
  );
});

test.run();
