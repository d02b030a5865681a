// Names: no two of a table are the same once case and separators are gone, and every spelling in use finds its code.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { ENUM_ALIAS, TAG_ALIAS } from '../../../kmip/ttlv/alias.ts';
import { ENUM, type EnumName } from '../../../kmip/ttlv/enumeration.ts';
import { enumerationNames, maskNames } from '../../../kmip/ttlv/enumeration-of.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { foldName, TAG_NAMES, tagName, tagOf } from '../../../kmip/ttlv/names.ts';
import { TAG, type TagName } from '../../../kmip/ttlv/tag.ts';

const TABLES: readonly (readonly [string, Readonly<Record<string, number>>, Readonly<Record<string, string>>])[] = [
  ['tags', TAG, TAG_ALIAS],
  ...Object.entries(ENUM).map(([name, codes]): [string, Record<string, number>, Record<string, string>] => [name, codes, ENUM_ALIAS[name as EnumName] ?? {}]),
  ...Object.entries(MASK).map(([name, codes]): [string, Record<string, number>, Record<string, string>] => [name, codes, {}]),
];

test('within a table no two names fold together, aliases included, and no code has two names', () => {
  for (const [table, codes, aliases] of TABLES) {
    const names = [...Object.keys(codes), ...Object.keys(aliases)];
    assert.equal(new Set(names.map(foldName)).size, names.length, table);
    assert.equal(new Set(Object.values(codes)).size, Object.keys(codes).length, table);
    for (const name of Object.values(aliases)) assert.ok(name in codes, `${table}: ${name}`);
    assert.ok(
      names.every((name) => !/^0x/i.test(name)),
      table,
    );
  }
});

test('every enumeration belongs to a tag', () => {
  const tagless = Object.keys(ENUM).filter((name) => !(name in TAG) || enumerationNames(TAG[name as TagName]) === undefined);
  assert.deepEqual(tagless, ['ItemType']);
  for (const name of Object.keys(MASK)) assert.ok(maskNames(TAG[name as TagName]));
});

test('spellings of other specifications and servers', () => {
  const spellings: readonly (readonly [TagName, string, number])[] = [
    ['HashingAlgorithm', 'SHA1', ENUM.HashingAlgorithm.SHA_1],
    ['HashingAlgorithm', 'SHA256', ENUM.HashingAlgorithm.SHA_256],
    ['HashingAlgorithm', 'SHA-512/256', ENUM.HashingAlgorithm.SHA_512_256],
    ['HashingAlgorithm', 'SHA3224', ENUM.HashingAlgorithm.SHA3_224],
    ['HashingAlgorithm', 'SHA-3-224', ENUM.HashingAlgorithm.SHA3_224],
    ['MaskGeneratorHashingAlgorithm', 'SHA-256', ENUM.HashingAlgorithm.SHA_256],
    ['PaddingMethod', 'PKCS1v15', ENUM.PaddingMethod.PKCS1V1_5],
    ['PaddingMethod', 'X931', ENUM.PaddingMethod.X9_31],
    ['PaddingMethod', 'ANSI_X923', ENUM.PaddingMethod.ANSIX9_23],
    ['MaskGenerator', 'MFG1', ENUM.MaskGenerator.MGF1],
    ['CryptographicAlgorithm', 'EC', ENUM.CryptographicAlgorithm.EC],
    ['CryptographicAlgorithm', 'THREE_DES', ENUM.CryptographicAlgorithm.DES3],
    ['CryptographicAlgorithm', '3DES', ENUM.CryptographicAlgorithm.DES3],
    ['CryptographicAlgorithm', 'HMACSHA3256', ENUM.CryptographicAlgorithm.HMAC_SHA3_256],
    ['CryptographicAlgorithm', 'MLKEM_512', ENUM.CryptographicAlgorithm.MLKEM_512],
    ['RecommendedCurve', 'P256', ENUM.RecommendedCurve.P_256],
    ['RecommendedCurve', 'CURVE25519', ENUM.RecommendedCurve.CURVE25519],
    ['DigitalSignatureAlgorithm', 'SHA256WithRSAEncryption', ENUM.DigitalSignatureAlgorithm.SHA_256WithRSAEncryption],
    ['DigitalSignatureAlgorithm', 'RSASSAPSS', ENUM.DigitalSignatureAlgorithm.RSASSA_PSS],
    ['DerivationMethod', 'NIST800_108C', ENUM.DerivationMethod.NIST800_108_C],
    ['State', 'Pre-Active', ENUM.State.PreActive],
    ['State', 'Destroyed_Compromised', ENUM.State.DestroyedCompromised],
    ['ResultReason', 'Object_Not_Found', ENUM.ResultReason.ObjectNotFound],
    ['Operation', 'Mac', ENUM.Operation.MAC],
    ['Operation', 'Re-key Key Pair', ENUM.Operation.ReKeyKeyPair],
    ['PKCS_11Function', 'C_Initialize', 1],
    ['PKCS_11Function', 'C_MessageVerifyFinal', 92],
    ['PKCS_11ReturnCode', 'OK', 0],
    ['AttributeReference', 'Cryptographic Usage Mask', TAG.CryptographicUsageMask],
    ['LinkedObjectIdentifier', 'IDPlaceholder', 1],
    ['ExtensionType', 'Text String', 7],
  ];
  for (const [tag, name, code] of spellings) assert.equal(enumerationNames(TAG[tag])?.code(name), code, `${tag} ${name}`);
  assert.equal(maskNames(TAG.StorageStatusMask)?.code('OnlineStorage'), 1);
  assert.equal(enumerationNames(TAG.AttributeValue, 'Cryptographic Algorithm')?.code('AES'), 3);
  assert.equal(enumerationNames(TAG.AttributeValue, 'x-mine'), undefined);
  assert.equal(enumerationNames(TAG.AttributeValue), undefined);
});

test('tags by name and by number', () => {
  assert.equal(tagOf('UniqueIdentifier'), 0x420094);
  assert.equal(tagOf('unique identifier'), 0x420094);
  assert.equal(tagOf('CertificateSubjectCn'), TAG.CertificateSubjectCN);
  assert.equal(tagOf('0x420094'), 0x420094);
  assert.equal(tagOf('0x54FFFF'), 0x54ffff);
  for (const name of ['0x410001', '0x42009', '420094', '', '__proto__', 'toString', 'constructor']) assert.equal(tagOf(name), undefined, name);
  assert.equal(tagName(0x54ab01), '0x54AB01');
  assert.equal(TAG_NAMES.name(0x54ab01), undefined);
});

test.run();
