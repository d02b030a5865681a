// The rules of attributes, how values are indexed and kept, and what clients of each version see.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { test } from 'uvu';
import { viewAttributes } from '../../../../actors/kmip/object/attribute-view.ts';
import { requireNewValue } from '../../../../kmip/attribute/new-value.ts';
import { checkAttribute, isMultiple, mayClientAdd, mayClientDelete, mayClientModify, mayClientSet } from '../../../../kmip/attribute/rules.ts';
import { AttributeSet, sameNode } from '../../../../kmip/attribute/set.ts';
import { refusalOf } from '../../../../kmip/crypto-refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { boolean, bytes, dateTime, enumeration, integer, type Node, structure, text } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { ALICE, draft } from '../../../fakes/objects.ts';

const { SymmetricKey, Certificate } = ENUM.ObjectType;
const V2_1 = { major: 2, minor: 1 };
const NOW = 1_700_000_000;

const name = (value: string): Node => structure(TAG.Name, [text(TAG.NameValue, value), enumeration(TAG.NameType, ENUM.NameType.UninterpretedTextString)]);
const vendor = (party: string, called: string, value: string): Node =>
  structure(TAG.Attribute, [text(TAG.VendorIdentification, party), text(TAG.AttributeName, called), text(TAG.AttributeValue, value)]);
const refused = (reason: string) => (error: unknown) => refusalOf(error)?.reason === reason;

test('a client may do with an attribute what the specification lets it', () => {
  const rights = (tag: number) => [mayClientSet, mayClientAdd, mayClientModify, mayClientDelete].map((may) => may(tag));
  assert.deepEqual(rights(TAG.State), [false, false, false, false]);
  assert.deepEqual(rights(TAG.CryptographicLength), [true, false, false, false]);
  assert.deepEqual(rights(TAG.CryptographicUsageMask), [true, true, false, false]);
  assert.deepEqual(rights(TAG.ActivationDate), [true, true, true, false]);
  assert.deepEqual(rights(TAG.Name), [true, true, true, true]);
  assert.deepEqual(rights(TAG.KeyMaterial), [false, false, false, false]);
  assert.equal(isMultiple(TAG.Link), true);
  assert.equal(isMultiple(TAG.Description), false);
});

test('an attribute has its type, its members, and objects that may have it', () => {
  assert.deepEqual(checkAttribute(name('a'), SymmetricKey), name('a'));
  assert.throws(() => checkAttribute(bytes(TAG.KeyMaterial, new Uint8Array()), SymmetricKey), refused('InvalidAttribute'));
  assert.throws(() => checkAttribute(enumeration(TAG.CertificateType, 1), SymmetricKey), refused('InvalidAttribute'));
  checkAttribute(enumeration(TAG.CertificateType, 1), Certificate);
  assert.throws(() => checkAttribute(text(TAG.Name, 'a'), SymmetricKey), refused('InvalidAttributeValue'));
  assert.throws(() => checkAttribute(structure(TAG.Name, [text(TAG.NameValue, 'a')]), SymmetricKey), refused('InvalidAttributeValue'));
  assert.throws(() => checkAttribute(vendor('no spaces', 'a', ''), SymmetricKey), refused('InvalidAttributeValue'));
  const namespace = structure(TAG.ApplicationSpecificInformation, [text(TAG.ApplicationNamespace, 'ssl')]);
  assert.throws(() => checkAttribute(namespace, SymmetricKey), refused('ApplicationNamespaceNotSupported'));
});

test('new names and tags keep to their limits; what is there already may be named', () => {
  const alternative = (value: string) => structure(TAG.AlternativeName, [text(TAG.AlternativeNameValue, value), enumeration(TAG.AlternativeNameType, 1)]);
  const tags = (...all: string[]) => vendor('acme', 'tag', JSON.stringify(all));
  const bad = [name(''), name('a\0'), name('a'.repeat(1_025)), name('\ud800'), alternative(''), alternative('a'.repeat(1_025)), tags('ok', 'a'.repeat(256))];
  for (const node of bad) {
    assert.throws(() => requireNewValue(node), refused('InvalidAttributeValue'));
    assert.deepEqual(checkAttribute(node, SymmetricKey), node);
  }
  // A character outside the basic plane is one, though it has two UTF-16 units.
  for (const node of [name('😀'.repeat(1_024)), alternative('a'), tags('😀'.repeat(255)), vendor('x', 'tag', 'a'.repeat(300)), text(TAG.Comment, '')])
    requireNewValue(node);
});

test('the name of a keyset, alone or whole, holds no @', () => {
  const whole = structure(TAG.RotateName, [text(TAG.RotateNameValue, 'set'), enumeration(TAG.RotateNameType, 1)]);
  assert.deepEqual(checkAttribute(text(TAG.RotateName, 'set'), SymmetricKey), whole);
  assert.throws(() => checkAttribute(text(TAG.RotateName, 'set@1'), SymmetricKey), /must not contain '@'/);
});

test('values of one name are counted apart from those of another', () => {
  const set = new AttributeSet();
  const indexes = [vendor('x', 'a', '1'), vendor('x', 'b', '1'), vendor('x', 'a', '2'), vendor('acme', 'a', '1')].map((node) => set.add(node).index);
  assert.deepEqual(indexes, [0, 0, 1, 0]);
  const [first] = set.all(TAG.Attribute);
  assert.ok(first);
  set.removeValue(first);
  assert.deepEqual(
    AttributeSet.of(set.toStructure())
      .all(TAG.Attribute)
      .map(({ index }) => index),
    [0, 1, 0],
  );
});

test('a value that takes the place of another begins anew', () => {
  const set = new AttributeSet();
  set.add(integer(TAG.CryptographicLength, 128));
  set.remove(TAG.CryptographicLength);
  assert.equal(set.add(integer(TAG.CryptographicLength, 256)).index, 0);
});

test('many values are read in little time', () => {
  const many = Array.from({ length: 200_000 }, () => vendor('x', 'a', ''));
  const started = performance.now();
  const set = AttributeSet.of(structure(TAG.Attributes, many));
  assert.equal(AttributeSet.of(set.toStructure()).all(TAG.Attribute).length, many.length);
  // Comparing each with each would take minutes.
  assert.ok(performance.now() - started < 10_000);
});

test('indexes survive changes and the store', () => {
  const step = fc.oneof(
    fc.tuple(fc.constant('add' as const), fc.constantFrom('x', 'acme'), fc.constantFrom('a', 'b'), fc.string()),
    fc.tuple(fc.constant('remove' as const), fc.nat(8)),
  );
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const set = new AttributeSet();
      for (const each of steps) {
        const values = set.all(TAG.Attribute);
        const value = each[0] === 'remove' ? values[each[1] % Math.max(1, values.length)] : undefined;
        if (each[0] === 'add') set.add(vendor(each[1], each[2], each[3]));
        else if (value) set.removeValue(value);
      }
      assert.deepEqual(AttributeSet.of(set.toStructure()).all(TAG.Attribute), set.all(TAG.Attribute));
    }),
  );
});

test('the order of members makes no other value', () => {
  const reversed = structure(TAG.Name, [enumeration(TAG.NameType, 1), text(TAG.NameValue, 'a')]);
  assert.equal(sameNode(name('a'), reversed), true);
  assert.equal(sameNode(name('a'), name('b')), false);
});

test('what the server computes is there without being stored', () => {
  const key = structure(TAG.SymmetricKey, [structure(TAG.KeyBlock, [enumeration(TAG.KeyFormatType, ENUM.KeyFormatType.Raw)])]);
  const object = draft('k', { state: ENUM.State.PreActive, attributes: [dateTime(TAG.ActivationDate, NOW), boolean(TAG.Extractable, false)], content: key });
  const seen = new Map(viewAttributes(object, { now: NOW, version: V2_1, caller: ALICE }).map(({ tag, value }) => [tag, value]));
  assert.equal(seen.get(TAG.UniqueIdentifier), 'k');
  assert.deepEqual(seen.get(TAG.ShortUniqueIdentifier), new Uint8Array(createHash('sha256').update('k').digest()));
  assert.equal(seen.get(TAG.State), ENUM.State.Active, 'the date has passed');
  assert.equal(seen.get(TAG.KeyFormatType), ENUM.KeyFormatType.Raw);
  assert.equal(seen.get(TAG.LeaseTime), 3600);
  assert.deepEqual(
    [TAG.Sensitive, TAG.AlwaysSensitive, TAG.Extractable, TAG.NeverExtractable, TAG.Fresh].map((tag) => seen.get(tag)),
    [false, false, false, true, true],
  );
});

test('the format of a destroyed key is that of its digest', () => {
  const digest = structure(TAG.Digest, [enumeration(TAG.KeyFormatType, ENUM.KeyFormatType.PKCS_1)]);
  const seen = viewAttributes(draft('k', { state: ENUM.State.Destroyed, attributes: [digest] }), { now: NOW, version: V2_1, caller: ALICE });
  assert.ok(seen.some(({ tag, value }) => tag === TAG.KeyFormatType && value === ENUM.KeyFormatType.PKCS_1));
});

test('a version sees the attributes that it knows', () => {
  const stored = [
    name('a'),
    text(TAG.OperationPolicyName, 'default'),
    text(TAG.Comment, 'c'),
    integer(TAG.RotateGeneration, 1),
    vendor('x', 'ID', '1'),
    vendor('acme', 'ID', '1'),
  ];
  const object = draft('k', { attributes: stored });
  const seen = (major: number, minor: number) => viewAttributes(object, { now: NOW, version: { major, minor }, caller: ALICE });
  const has = (nodes: readonly Node[], tag: number) => nodes.filter((node) => node.tag === tag).length;
  const tags = [TAG.Name, TAG.OperationPolicyName, TAG.Comment, TAG.RotateGeneration, TAG.Attribute, TAG.Fresh, TAG.ShortUniqueIdentifier];
  const counts = (major: number, minor: number) => tags.map((tag) => has(seen(major, minor), tag));
  assert.deepEqual(counts(1, 0), [1, 1, 0, 0, 1, 0, 0]);
  assert.deepEqual(counts(1, 4), [1, 1, 1, 0, 1, 1, 0]);
  assert.deepEqual(counts(2, 0), [1, 0, 1, 0, 2, 1, 1]);
  assert.deepEqual(counts(2, 1), [1, 0, 1, 1, 2, 1, 1]);
});

test.run();
