// Codes in registered objects: at every level one that its enumeration does not have is refused by name, and those of vendors are taken.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { contentIn } from '../../../actors/kmip/object/registered.ts';
import { refusalOf } from '../../../kmip/crypto-refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { tagName } from '../../../kmip/ttlv/names.ts';
import { bytes, enumeration, type Node, type Structure, structure, TYPE, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { code } from '../../fuzz/members.ts';

const MATERIAL = bytes(TAG.KeyMaterial, new Uint8Array(16));
const parameters = structure(TAG.CryptographicParameters, [code('BlockCipherMode', 'NISTKeyWrap')]);
const wrapping = structure(TAG.KeyWrappingData, [
  code('WrappingMethod', 'Encrypt'),
  structure(TAG.EncryptionKeyInformation, [text(TAG.UniqueIdentifier, 'x'), parameters]),
  code('EncodingOption', 'NoEncoding'),
]);
const block = (...more: Node[]) =>
  structure(TAG.KeyBlock, [
    code('KeyFormatType', 'Raw'),
    code('KeyCompressionType', 'ECPublicKeyTypeUncompressed'),
    structure(TAG.KeyValue, [MATERIAL, structure(TAG.Attributes, [enumeration(TAG.ProtectionLevel, 99)])]),
    ...more,
  ]);
const CONTENTS: readonly (readonly [keyof typeof ENUM.ObjectType, Structure])[] = [
  ['SecretData', structure(TAG.SecretData, [code('SecretDataType', 'Password'), block(wrapping)])],
  ['Certificate', structure(TAG.Certificate, [code('CertificateType', 'PGP'), bytes(TAG.CertificateValue, new Uint8Array(1))])],
  ['CertificateRequest', structure(TAG.CertificateRequest, [code('CertificateRequestType', 'PGP'), bytes(TAG.CertificateRequestValue, new Uint8Array(1))])],
];

/** The node with one code changed, for each of its codes, and the tag of that code. */
function* withCode(node: Node, value: number): Generator<[Node, number]> {
  if (node.type === TYPE.Enumeration) yield [enumeration(node.tag, value), node.tag];
  if (node.type !== TYPE.Structure || node.tag === TAG.Attributes) return;
  for (const [at, member] of node.value.entries())
    for (const [changed, tag] of withCode(member, value)) yield [structure(node.tag, node.value.with(at, changed)), tag];
}

function said(type: keyof typeof ENUM.ObjectType, content: Node): string | undefined {
  try {
    contentIn(structure(TAG.RequestPayload, [content]), ENUM.ObjectType[type]);
    return undefined;
  } catch (error) {
    return `${refusalOf(error)?.reason}: ${refusalOf(error)?.message}`;
  }
}

test('a code that nobody knows is refused by name, in every object that may be registered', () => {
  let tried = 0;
  for (const [type, content] of CONTENTS) {
    assert.equal(said(type, content), undefined);
    for (const [changed, tag] of withCode(content, 99)) {
      assert.equal(said(type, changed), `InvalidField: ${tagName(tag)} has no value 0x00000063`);
      tried += 1;
    }
    for (const [changed] of withCode(content, 0x80000063)) assert.equal(said(type, changed), undefined);
  }
  assert.equal(tried, 8);
});

test('the specification defines no type of opaque data, so clients name their own', () => {
  const opaque = structure(TAG.OpaqueObject, [enumeration(TAG.OpaqueDataType, 1), bytes(TAG.OpaqueDataValue, new Uint8Array(1))]);
  assert.equal(said('OpaqueObject', opaque), undefined);
});

test.run();
