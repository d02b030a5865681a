// Structures at every level of a payload: what they do not have, and what they have twice, is refused as in the payload itself.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { upgradePayload } from '../../../kmip/message/legacy.ts';
import { checkStructures } from '../../../kmip/message/structure-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import type { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { bigInteger, bytes, enumeration, integer, type Node, type Structure, structure, TYPE, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { aes, code, keyBlock, symmetricKey } from '../../fuzz/members.ts';

const ONE = new Uint8Array(1);
const parameters = (...more: Node[]) => structure(TAG.CryptographicParameters, [code('BlockCipherMode', 'CBC'), ...more]);
const information = structure(TAG.EncryptionKeyInformation, [text(TAG.UniqueIdentifier, 'x'), parameters()]);
const name = structure(TAG.Name, [text(TAG.NameValue, 'x'), code('NameType', 'UninterpretedTextString')]);
const curve = [code('RecommendedCurve', 'P_256'), bytes(TAG.QString, ONE)];

/** Each has its structures at several levels. */
const PAYLOADS: Readonly<Record<string, readonly Node[]>> = {
  Encrypt: [text(TAG.UniqueIdentifier, 'x'), parameters(), bytes(TAG.Data, ONE)],
  Register: [
    code('ObjectType', 'SymmetricKey'),
    aes(128, name, structure(TAG.Link, [code('LinkType', 'PreviousLink'), text(TAG.LinkedObjectIdentifier, 'x')])),
    symmetricKey(ONE),
  ],
  Import: [
    structure(TAG.PublicKey, [keyBlock(curve, 'TransparentECPublicKey')]),
    structure(TAG.SymmetricKey, [
      structure(TAG.KeyBlock, [
        code('KeyFormatType', 'Raw'),
        structure(TAG.KeyValue, [bytes(TAG.KeyMaterial, ONE), structure(TAG.Attributes, [name])]),
        structure(TAG.KeyWrappingData, [code('WrappingMethod', 'Encrypt'), information]),
      ]),
    ]),
  ],
  Get: [structure(TAG.KeyWrappingSpecification, [code('WrappingMethod', 'Encrypt'), information, text(TAG.AttributeName, 'State')])],
  DeriveKey: [structure(TAG.DerivationParameters, [parameters(), bytes(TAG.DerivationData, ONE), bytes(TAG.Salt, ONE)])],
  Revoke: [structure(TAG.RevocationReason, [code('RevocationReasonCode', 'KeyCompromise'), text(TAG.RevocationMessage, 'x')])],
};

/** Attributes may come in any number here, and AttributeName and DerivationData anywhere. */
const MANY: ReadonlySet<number> = new Set([TAG.AttributeName, TAG.DerivationData, TAG.Attribute]);
const HOLDERS: ReadonlySet<number> = new Set([TAG.Attributes, TAG.AttributeValue, TAG.VendorExtension]);

/** The nodes with `change` applied to the members of one structure, for each structure at each level. */
function* changed(nodes: readonly Node[], change: (holder: Structure) => readonly (readonly Node[])[]): Generator<readonly Node[]> {
  for (const [at, node] of nodes.entries()) {
    if (node.type !== TYPE.Structure) continue;
    const withValue = (value: readonly Node[]) => nodes.with(at, structure(node.tag, value));
    if (!HOLDERS.has(node.tag)) for (const value of change(node)) yield withValue(value);
    for (const value of changed(node.value, change)) yield withValue(value);
  }
}

const refusal = (nodes: readonly Node[]): string | undefined => {
  try {
    checkStructures(nodes);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.reason;
    throw error;
  }
};

test('at every level, an unknown member is refused, and one of the range of extensions too', () => {
  for (const [operation, nodes] of Object.entries(PAYLOADS)) {
    assert.equal(refusal(nodes), undefined, operation);
    const unknown = [integer(TAG.BatchCount, 1), text(0x540123, 'x'), structure(TAG.TemplateAttribute, [])];
    const all = [...changed(nodes, ({ value }) => unknown.map((each) => [...value, each]))];
    assert.ok(all.length >= unknown.length, operation);
    for (const each of all) assert.equal(refusal(each), 'InvalidField', operation);
  }
});

test('at every level, a second member of a kind is refused, but for those that may be repeated', () => {
  for (const [operation, nodes] of Object.entries(PAYLOADS))
    for (const each of changed(nodes, ({ value }) => value.filter(({ tag }) => !MANY.has(tag)).map((member) => [...value, member])))
      assert.equal(refusal(each), 'InvalidMessage', operation);
  const twice = (node: Structure, tag: number) => [structure(node.tag, [...node.value, ...node.value.filter((each) => each.tag === tag)])];
  assert.equal(refusal(twice(PAYLOADS['Get']?.[0] as Structure, TAG.AttributeName)), undefined);
  assert.equal(refusal(twice(PAYLOADS['DeriveKey']?.[0] as Structure, TAG.DerivationData)), undefined);
  assert.equal(refusal([aes(128, name, name)]), undefined);
});

test('key material has the members of its format', () => {
  const key = (format: keyof typeof ENUM.KeyFormatType, ...members: Node[]) => refusal([structure(TAG.PublicKey, [keyBlock(members, format)])]);
  const [modulus, exponent, d] = [TAG.Modulus, TAG.PublicExponent, TAG.PrivateExponent].map((tag) => bigInteger(tag, 3n)) as [Node, Node, Node];
  assert.equal(key('TransparentRSAPublicKey', modulus, exponent), undefined);
  assert.equal(key('TransparentRSAPrivateKey', modulus, exponent, d), undefined);
  assert.equal(key('TransparentRSAPublicKey', modulus, exponent, d), 'InvalidField');
  assert.equal(key('TransparentRSAPublicKey', modulus, modulus, exponent), 'InvalidMessage');
  assert.equal(key('TransparentECPublicKey', ...curve, d), 'InvalidField');
});

test('what only a vendor knows may hold anything', () => {
  const inside = structure(TAG.AttributeValue, [text(TAG.Comment, 'x'), text(TAG.Comment, 'y'), structure(0x540001, [])]);
  const vendors = (...more: Node[]) =>
    structure(TAG.Attributes, [structure(TAG.Attribute, [text(TAG.VendorIdentification, 'v'), text(TAG.AttributeName, 'n'), inside, ...more])]);
  assert.equal(refusal([vendors()]), undefined);
  assert.equal(refusal([vendors(inside)]), 'InvalidMessage');
});

test('KMIP 1.x: templates and attributes in their own form too', () => {
  const attribute = (...more: Node[]) =>
    structure(
      TAG.Attribute,
      [text(TAG.AttributeName, 'Cryptographic Length'), structure(TAG.AttributeValue, []), ...more].toSpliced(1, 1, integer(TAG.AttributeValue, 128)),
    );
  const named = (...more: Node[]) => structure(TAG.Attribute, [text(TAG.AttributeName, 'Name'), structure(TAG.AttributeValue, [...name.value, ...more])]);
  const upgraded = (...members: Node[]) => {
    try {
      const payload = structure(TAG.RequestPayload, [enumeration(TAG.ObjectType, 2), structure(TAG.TemplateAttribute, members)]);
      return refusal(upgradePayload('Create', payload, { major: 1, minor: 4 }).value);
    } catch (error) {
      return error instanceof Refusal ? error.reason : 'error';
    }
  };
  assert.equal(upgraded(attribute(), named(), named(), attribute(integer(TAG.AttributeIndex, 0))), undefined);
  for (const twice of [text(TAG.AttributeName, 'State'), integer(TAG.AttributeValue, 1)]) assert.equal(upgraded(attribute(twice)), 'InvalidMessage');
  assert.equal(upgraded(named(text(TAG.NameValue, 'y'))), 'InvalidMessage');
  for (const made of [attribute, named]) assert.equal(upgraded(made(text(TAG.Comment, 'x'))), 'InvalidField');
  assert.equal(upgraded(attribute(), text(TAG.Comment, 'x')), 'InvalidField');
  assert.equal(upgraded(attribute(), structure(TAG.Attributes, [])), 'InvalidField');
});

test.run();
