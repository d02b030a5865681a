// Payloads of KMIP 1.x and 2.x: what each operation's request becomes, and that attributes survive the way there and back.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'uvu';
import { attributeByName, nameOfAttribute } from '../../../kmip/attribute/rules.ts';
import { ATTRIBUTES } from '../../../kmip/attribute/table.ts';
import { checkVersion, downgradePayload, templateNames, upgradePayload } from '../../../kmip/message/legacy.ts';
import type { OperationName } from '../../../kmip/operation-name.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumOf } from '../../../kmip/ttlv/enumeration-of.ts';
import { bytes, enumeration, integer, type Node, type Structure, structure, TYPE, text } from '../../../kmip/ttlv/node.ts';
import { enumerationValueExists } from '../../../kmip/ttlv/since.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';

const V1_0 = { major: 1, minor: 0 };
const V1_2 = { major: 1, minor: 2 };
const V1_4 = { major: 1, minor: 4 };
const V2_1 = { major: 2, minor: 1 };

const request = (...members: readonly Node[]): Structure => structure(TAG.RequestPayload, members);
const id = text(TAG.UniqueIdentifier, 'k');
const name = (value: string, tag: number = TAG.Name): Structure =>
  structure(tag, [text(TAG.NameValue, value), enumeration(TAG.NameType, ENUM.NameType.UninterpretedTextString)]);
const attribute = (attributeName: string, value: Node, index?: number): Structure =>
  structure(TAG.Attribute, [text(TAG.AttributeName, attributeName), ...(index === undefined ? [] : [integer(TAG.AttributeIndex, index)]), value]);
const vendor = (vendorName: string, attributeName: string, value: Node): Structure =>
  structure(TAG.Attribute, [text(TAG.VendorIdentification, vendorName), text(TAG.AttributeName, attributeName), value]);
const value = text(TAG.AttributeValue, 'v');
const refused = (reason: string) => (error: unknown) => error instanceof Refusal && error.reason === reason;

test('templates become attributes, each of its kind', () => {
  const usage = attribute('Cryptographic Usage Mask', integer(TAG.AttributeValue, 1));
  const before = [TAG.CommonTemplateAttribute, TAG.PrivateKeyTemplateAttribute, TAG.PublicKeyTemplateAttribute];
  const after = [TAG.CommonAttributes, TAG.PrivateKeyAttributes, TAG.PublicKeyAttributes];
  const upgraded = upgradePayload('CreateKeyPair', request(...before.map((tag) => structure(tag, [usage]))), V1_4);
  assert.deepEqual(upgraded, request(...after.map((tag) => structure(tag, [integer(TAG.CryptographicUsageMask, 1)]))));
});

test('attributes that are members of the payload itself are gathered', () => {
  const type = attribute('Object Type', enumeration(TAG.AttributeValue, 2));
  // An index is to be ignored in a search.
  const upgraded = upgradePayload('Locate', request(integer(TAG.MaximumItems, 1), type, attribute('x-ID', value, 1)), V1_4);
  const attributes = structure(TAG.Attributes, [enumeration(TAG.ObjectType, 2), vendor('x', 'ID', value)]);
  assert.deepEqual(upgraded, request(integer(TAG.MaximumItems, 1), attributes));
});

test('changes of attributes keep the index, and mean the first value without one', () => {
  const group = text(TAG.ObjectGroup, 'v');
  const upgraded = (operation: OperationName, ...members: Node[]) => upgradePayload(operation, request(id, ...members), V1_4).value.slice(1);
  assert.deepEqual(upgraded('AddAttribute', attribute('Object Group', value)), [structure(TAG.NewAttribute, [group])]);
  assert.deepEqual(upgraded('ModifyAttribute', attribute('Object Group', value)), [structure(TAG.NewAttribute, [integer(TAG.AttributeIndex, 0), group])]);
  assert.deepEqual(upgraded('ModifyAttribute', attribute('Object Group', value, 2)), [structure(TAG.NewAttribute, [integer(TAG.AttributeIndex, 2), group])]);
  const reference = enumeration(TAG.AttributeReference, TAG.ObjectGroup);
  assert.deepEqual(upgraded('DeleteAttribute', text(TAG.AttributeName, 'Object Group')), [reference, integer(TAG.AttributeIndex, 0)]);
  const second = integer(TAG.AttributeIndex, 1);
  assert.deepEqual(upgraded('DeleteAttribute', text(TAG.AttributeName, 'Object Group'), second), [reference, second]);
});

test('names become references, and references names', () => {
  const custom = structure(TAG.AttributeReference, [text(TAG.VendorIdentification, 'x'), text(TAG.AttributeName, 'ID')]);
  const known = enumeration(TAG.AttributeReference, TAG.State);
  const upgraded = upgradePayload('GetAttributes', request(id, text(TAG.AttributeName, 'State'), text(TAG.AttributeName, 'x-ID')), V1_4);
  assert.deepEqual(upgraded, request(id, known, custom));
  const unknown = upgradePayload('GetAttributes', request(text(TAG.AttributeName, 'Shoe Size')), V1_4);
  assert.equal(unknown.value.length, 1, 'a name nobody knows does not turn the request into one for everything');
  const other = structure(TAG.AttributeReference, [text(TAG.VendorIdentification, 'acme'), text(TAG.AttributeName, 'ID')]);
  const names = [id, text(TAG.AttributeName, 'State'), text(TAG.AttributeName, 'x-ID')];
  const newer = enumeration(TAG.AttributeReference, TAG.RotateName);
  assert.deepEqual(downgradePayload('GetAttributeList', [id, known, custom, other, newer], V1_4), names);
});

test('answers show attributes in the way of the operation', () => {
  const attributes = structure(TAG.Attributes, [name('a'), integer(TAG.AttributeIndex, 3), name('b'), vendor('acme', 'hidden', value)]);
  const shown = [attribute('Name', name('a', TAG.AttributeValue)), attribute('Name', name('b', TAG.AttributeValue), 3)];
  assert.deepEqual(downgradePayload('GetAttributes', [id, attributes], V1_4), [id, ...shown]);
  assert.deepEqual(downgradePayload('Register', [id, attributes], V1_4), [id, structure(TAG.TemplateAttribute, shown)]);
  const added = structure(TAG.NewAttribute, [integer(TAG.AttributeIndex, 1), text(TAG.ObjectGroup, 'v')]);
  assert.deepEqual(downgradePayload('AddAttribute', [id, added], V1_4), [id, attribute('Object Group', value, 1)]);
  // KMIP 2.x has no index.
  const plain = structure(TAG.Attributes, [name('a'), name('b'), vendor('acme', 'hidden', value)]);
  assert.deepEqual(downgradePayload('GetAttributes', [id, attributes], V2_1), [id, plain]);
});

test('attributes inside a key value', () => {
  const key = (...inside: Node[]) =>
    structure(TAG.SymmetricKey, [
      structure(TAG.KeyBlock, [
        enumeration(TAG.KeyFormatType, ENUM.KeyFormatType.Raw),
        structure(TAG.KeyValue, [bytes(TAG.KeyMaterial, new Uint8Array(16)), ...inside]),
      ]),
    ]);
  const before = key(attribute('Object Group', value), attribute('x-ID', value));
  const after = key(structure(TAG.Attributes, [text(TAG.ObjectGroup, 'v'), vendor('x', 'ID', value)]));
  assert.deepEqual(upgradePayload('Register', request(before), V1_4), request(after));
  assert.deepEqual(downgradePayload('Get', [after], V1_4), [before]);
});

test('templates that are named give what the request does not', () => {
  const payload = request(structure(TAG.TemplateAttribute, [name('t'), attribute('Cryptographic Length', integer(TAG.AttributeValue, 256))]));
  assert.deepEqual(templateNames(payload), ['t']);
  const templates = new Map([['t', [integer(TAG.CryptographicLength, 128), integer(TAG.CryptographicUsageMask, 12)]]]);
  const attributes = structure(TAG.Attributes, [integer(TAG.CryptographicUsageMask, 12), integer(TAG.CryptographicLength, 256)]);
  assert.deepEqual(upgradePayload('Create', payload, V1_4, templates), request(attributes));
  assert.throws(() => upgradePayload('Create', payload, V1_4), refused('ItemNotFound'));
});

test('what is malformed is refused', () => {
  const template = (...members: Node[]) => request(structure(TAG.TemplateAttribute, members));
  assert.throws(() => upgradePayload('Create', template(attribute('Shoe Size', value)), V1_4), refused('InvalidField'));
  assert.throws(() => upgradePayload('Create', template(attribute('Rotate Name', value)), V1_4), refused('InvalidField'));
  assert.throws(() => upgradePayload('Create', template(structure(TAG.Attribute, [value])), V1_4), refused('InvalidMessage'));
  assert.throws(() => upgradePayload('Create', template(text(TAG.Attribute, 'State')), V1_4), refused('InvalidMessage'));
  assert.throws(() => upgradePayload('Create', request(text(TAG.TemplateAttribute, '')), V1_4), refused('InvalidMessage'));
});

test('attributes stand where the operation has them in 1.x, and once', () => {
  const template = structure(TAG.TemplateAttribute, [attribute('Object Group', value)]);
  const group = attribute('Object Group', value);
  for (const operation of ['Create', 'Register', 'DeriveKey', 'ReKey', 'Certify', 'ReCertify', 'CreateSplitKey', 'JoinSplitKey'] as const) {
    assert.equal(upgradePayload(operation, request(template), V1_2).value.length, 1);
    assert.throws(() => upgradePayload(operation, request(template, template), V1_2), refused('InvalidMessage'), operation);
    for (const members of [[group], [template, group]])
      assert.throws(() => upgradePayload(operation, request(...members), V1_2), refused('InvalidField'), operation);
  }
  for (const operation of ['AddAttribute', 'ModifyAttribute', 'Locate', 'Import'] as const)
    assert.equal(upgradePayload(operation, request(group), V1_4).value.length, 1);
  // As appliances send it.
  assert.deepEqual(upgradePayload('Locate', request(template), V1_4), upgradePayload('Locate', request(group), V1_4));
  assert.throws(() => upgradePayload('DeleteAttribute', request(id, group), V1_0), refused('InvalidField'));
  const twice = [text(TAG.AttributeName, 'Object Group'), text(TAG.AttributeName, 'Name')];
  assert.throws(() => upgradePayload('DeleteAttribute', request(id, ...twice), V1_0), refused('InvalidMessage'));
  assert.equal(upgradePayload('GetAttributes', request(id, ...twice), V1_0).value.length, 3);
});

test('a version has its operations and tags, at any depth', () => {
  checkVersion('Encrypt', request(id), V1_2);
  assert.throws(() => checkVersion('Encrypt', request(id), V1_0), refused('OperationNotSupported'));
  assert.throws(() => checkVersion('SetAttribute', request(id), V1_4), refused('OperationNotSupported'));
  const deep = request(structure(TAG.TemplateAttribute, [attribute('Name', name('a', TAG.AttributeValue))]));
  checkVersion('Create', deep, V1_0);
  // What PyKMIP adds to every ReKey, in KMIP 2.0 too.
  checkVersion('ReKey', request(id, structure(TAG.TemplateAttribute, [])), V2_1);
  assert.throws(() => checkVersion('ReKey', request(id, text(TAG.TemplateAttribute, '')), V2_1), refused('InvalidMessage'));
  assert.throws(() => checkVersion('Create', deep, V2_1), refused('InvalidMessage'));
  assert.throws(() => checkVersion('Create', request(structure(TAG.Attributes, [])), V1_4), refused('InvalidField'));
});

const known = [...ATTRIBUTES].filter(([tag, { since }]) => since < '2.0' && tag !== TAG.Attribute);

const anyValue = (tag: number, type: number): fc.Arbitrary<Node> => {
  if (type === TYPE.Structure) return fc.array(fc.string().map((each) => text(TAG.Comment, each))).map((members) => structure(tag, members));
  if (type === TYPE.TextString) return fc.string().map((each) => text(tag, each));
  if (type === TYPE.Boolean) return fc.boolean().map((each): Node => ({ tag, type, value: each }));
  // What the version has: the rest is not shown to it.
  if (tag === TAG.CryptographicUsageMask) return fc.nat(0xfffff).map((each) => integer(tag, each));
  const enumOfTag = type === TYPE.Enumeration ? enumOf(tag) : undefined;
  if (enumOfTag)
    return fc
      .nat(64)
      .filter((each) => enumerationValueExists(enumOfTag, each, V1_4))
      .map((each) => enumeration(tag, each));
  return fc.nat().map((each) => ({ tag, type, value: each }) as Node);
};

const anyAttribute: fc.Arbitrary<Node> = fc.oneof(
  fc.constantFrom(...known).chain(([tag, { type }]) => anyValue(tag, type)),
  fc
    .tuple(fc.constantFrom('x', 'y'), fc.string({ minLength: 1 }), fc.string())
    .map(([party, each, held]) => vendor(party, each, text(TAG.AttributeValue, held))),
);

test('every attribute that 1.4 has comes back as it went', () => {
  const sequence = fc
    .array(fc.tuple(fc.option(fc.nat(9)), anyAttribute))
    .map((pairs) => pairs.flatMap(([at, node]) => (at === null ? [node] : [integer(TAG.AttributeIndex, at), node])));
  fc.assert(
    fc.property(sequence, (nodes) => {
      const [answer] = downgradePayload('Register', [structure(TAG.Attributes, nodes)], V1_4);
      assert.ok(answer);
      assert.deepEqual(upgradePayload('Register', request(answer), V1_4), request(structure(TAG.Attributes, nodes)));
    }),
  );
});

test('names of 1.x are those of the specification', () => {
  assert.equal(known.length, 74);
  for (const [tag] of known) assert.equal(attributeByName(nameOfAttribute(tag) ?? ''), tag);
  assert.equal(nameOfAttribute(TAG.X_509CertificateIssuer), 'X.509 Certificate Issuer');
  assert.equal(nameOfAttribute(TAG.PKCS_12FriendlyName), 'PKCS#12 Friendly Name');
  assert.equal(nameOfAttribute(TAG.CertificateSubjectDNQualifier), 'Certificate Subject DN Qualifier');
  assert.equal(nameOfAttribute(TAG.RandomNumberGenerator), 'Random Number Generator');
  assert.equal(attributeByName('RotateName'), undefined);
});

test.run();
