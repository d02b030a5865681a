// What a client may register: content that no key, request or splitting could have is refused.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { describeContent } from '../../../../actors/kmip/object/registered.ts';
import { bits, oid, sequence, unsigned } from '../../../../crypto/der.ts';
import { dsaParts } from '../../../../crypto/key/discrete-log-key.ts';
import { keyFacts } from '../../../../crypto/key/key-algorithm.ts';
import { generatePair } from '../../../../crypto/key/key-pair.ts';
import type { RsaIntegers } from '../../../../crypto/key/rsa-integers.ts';
import { rsaIntegersOf } from '../../../../crypto/key/rsa-key.ts';
import type { CryptographicAlgorithm, RecommendedCurve } from '../../../../crypto/parameters.ts';
import { AttributeSet } from '../../../../kmip/attribute/set.ts';
import { refusalOf } from '../../../../kmip/crypto-refusal.ts';
import { exportKey } from '../../../../kmip/key-format/key-format.ts';
import type { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { tagName } from '../../../../kmip/ttlv/names.ts';
import { bigInteger, bytes, enumeration, integer, type Node, type Structure, structure } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { BROUGHT, certificateRequest, code, DATA, keyBlock } from '../../../fuzz/members.ts';

/** In the order of PKCS#1. */
const RSA_NUMBERS = ['modulus', 'publicExponent', 'privateExponent', 'p', 'q', 'primeExponentP', 'primeExponentQ', 'crtCoefficient'] as const;

/** Undefined for what may be registered. */
function refusedAs(type: keyof typeof ENUM.ObjectType, content: Structure, ...given: readonly Node[]): Refusal | undefined {
  try {
    describeContent(ENUM.ObjectType[type], content, AttributeSet.of(structure(TAG.Attributes, given)), []);
    return undefined;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal) return refusal;
    throw error;
  }
}

/** The reason of the refusal. */
const refusal = (type: keyof typeof ENUM.ObjectType, content: Structure): string | undefined => refusedAs(type, content)?.reason;

test('a part of a split key is one of its parts, and has the prime of its method', () => {
  const part = (identifier: number, threshold: number, method: keyof typeof ENUM.SplitKeyMethod, ...more: Node[]) =>
    refusal(
      'SplitKey',
      structure(TAG.SplitKey, [
        integer(TAG.SplitKeyParts, 3),
        integer(TAG.KeyPartIdentifier, identifier),
        integer(TAG.SplitKeyThreshold, threshold),
        code('SplitKeyMethod', method),
        ...more,
        keyBlock(BROUGHT, 'Raw'),
      ]),
    );
  for (const identifier of [1, 3]) assert.equal(part(identifier, 3, 'XOR'), undefined);
  for (const identifier of [0, -1, 4]) assert.equal(part(identifier, 3, 'XOR'), 'InvalidField');
  for (const threshold of [0, 4]) assert.equal(part(1, threshold, 'XOR'), 'InvalidField');
  assert.equal(part(1, 2, 'PolynomialSharingPrimeField'), 'InvalidField');
  assert.equal(part(1, 2, 'PolynomialSharingPrimeField', bigInteger(TAG.PrimeFieldSize, 2n ** 521n - 1n)), undefined);
});

test('a PGP key has a version', () => {
  const key = (...members: Node[]) => refusal('PGPKey', structure(TAG.PGPKey, [...members, keyBlock(BROUGHT, 'Raw')]));
  assert.equal(key(integer(TAG.PGPKeyVersion, 4)), undefined);
  assert.equal(key(), 'InvalidMessage');
});

test('an attribute that says another type of secret or of opaque data than the object is refused', () => {
  const secret = (of: keyof typeof ENUM.SecretDataType, ...block: Node[]) => structure(TAG.SecretData, [code('SecretDataType', of), ...block]);
  const whole = keyBlock(BROUGHT, 'Raw');
  const keptElsewhere = structure(TAG.KeyBlock, [code('KeyFormatType', 'Raw')]);
  for (const block of [whole, keptElsewhere]) {
    assert.equal(refusedAs('SecretData', secret('Password', block), code('SecretDataType', 'Password')), undefined);
    assert.match(refusedAs('SecretData', secret('Password', block), code('SecretDataType', 'Seed'))?.message ?? '', /SecretDataType does not match/);
  }
  const type = (value: number) => enumeration(TAG.OpaqueDataType, value);
  const opaque = structure(TAG.OpaqueObject, [type(0x8000_0001), bytes(TAG.OpaqueDataValue, BROUGHT)]);
  assert.equal(refusedAs('OpaqueObject', opaque, type(0x8000_0001)), undefined);
  assert.equal(refusedAs('OpaqueObject', opaque, type(0x8000_0002))?.reason, 'InvalidField');
});

test('a raw key of an algorithm of secret keys is no private key', () => {
  const key = refusedAs('PrivateKey', structure(TAG.PrivateKey, [keyBlock(new Uint8Array(16), 'Raw', code('CryptographicAlgorithm', 'AES'))]));
  assert.match(key?.message ?? '', /^KeyMaterial: AES has no raw private keys$/);
});

test('a PKCS#10 request is one that its own key has signed; of other kinds nothing is known', () => {
  const request = (type: keyof typeof ENUM.CertificateRequestType) =>
    structure(TAG.CertificateRequest, [code('CertificateRequestType', type), bytes(TAG.CertificateRequestValue, DATA)]);
  assert.equal(refusal('CertificateRequest', certificateRequest), undefined);
  assert.deepEqual(
    (['PKCS_10', 'PEM', 'CRMF'] as const).map((type) => refusal('CertificateRequest', request(type))),
    ['InvalidCSR', 'InvalidCSR', undefined],
  );
});

test('a symmetric key is in a format of symmetric keys', () => {
  const key = (format: keyof typeof ENUM.KeyFormatType) =>
    refusal(
      'SymmetricKey',
      structure(TAG.SymmetricKey, [keyBlock(BROUGHT, format, code('CryptographicAlgorithm', 'AES'), integer(TAG.CryptographicLength, 128))]),
    );
  assert.deepEqual((['Raw', 'Opaque', 'PKCS_1', 'X_509'] as const).map(key), [undefined, undefined, 'KeyFormatTypeNotSupported', 'KeyFormatTypeNotSupported']);
});

test('the numbers of an RSA private key belong together', () => {
  const numbers = rsaIntegersOf(generatePair('RSA').privateKey);
  const key = (changed: Partial<RsaIntegers>) => {
    const all = { ...numbers, ...changed };
    const der = sequence(unsigned(0n), ...RSA_NUMBERS.map((name) => unsigned(all[name] ?? 0n)));
    return refusal('PrivateKey', structure(TAG.PrivateKey, [keyBlock(der, 'PKCS_1', code('CryptographicAlgorithm', 'RSA'))]));
  };
  assert.equal(key({}), undefined);
  for (const name of RSA_NUMBERS) assert.equal(key({ [name]: (numbers[name] ?? 0n) + 2n }), 'InvalidField', name);
  assert.equal(key({ p: 1n, q: numbers.modulus ?? 0n }), 'InvalidField');
});

test('of a transparent RSA private key too: a number that the others determine is not passed over', () => {
  const { privateKey } = generatePair('RSA');
  const members = exportKey(privateKey, 'TransparentRSAPrivateKey') as Node[];
  const key = (changed?: number) => {
    const material = members.map((node) => (node.tag === changed ? bigInteger(node.tag, (node.value as bigint) + 2n) : node));
    return refusedAs('PrivateKey', structure(TAG.PrivateKey, [keyBlock(material, 'TransparentRSAPrivateKey', code('CryptographicAlgorithm', 'RSA'))]));
  };
  assert.equal(key(), undefined);
  for (const { tag } of members) assert.equal(key(tag)?.reason, 'InvalidField', tagName(tag));
  for (const tag of [TAG.PrimeExponentP, TAG.PrimeExponentQ, TAG.CRTCoefficient])
    assert.match(key(tag)?.detail ?? '', new RegExp(`: KeyMaterial: ${tagName(tag)} does not follow from [A-Za-z]+ and [PQ]$`));
  // Some clients leave out what the others determine (KMIP 2.1 section 3.7).
  const few = members.filter(({ tag }) => tag !== TAG.PrimeExponentP && tag !== TAG.CRTCoefficient);
  assert.equal(refusal('PrivateKey', structure(TAG.PrivateKey, [keyBlock(few, 'TransparentRSAPrivateKey', code('CryptographicAlgorithm', 'RSA'))])), undefined);
});

test('public keys whose point no private key can have are refused in every format', () => {
  const raw = (material: Uint8Array, algorithm: CryptographicAlgorithm, curve: RecommendedCurve) => {
    const attributes = new AttributeSet();
    attributes.set(structure(TAG.CryptographicDomainParameters, [code('RecommendedCurve', curve)]));
    try {
      describeContent(
        ENUM.ObjectType.PublicKey,
        structure(TAG.PublicKey, [keyBlock(material, 'Raw', code('CryptographicAlgorithm', algorithm))]),
        attributes,
        [],
      );
      return undefined;
    } catch (error) {
      return refusalOf(error)?.reason;
    }
  };
  assert.equal(raw(Uint8Array.of(9, ...new Uint8Array(31)), 'ECDH', 'CURVE25519'), undefined);
  assert.equal(raw(new Uint8Array(32), 'ECDH', 'CURVE25519'), 'InvalidField');
  assert.equal(raw(new Uint8Array(56), 'ECDH', 'CURVE448'), 'InvalidField');
  assert.equal(raw(Uint8Array.of(1, ...new Uint8Array(31)), 'EC', 'CURVEED25519'), 'InvalidField');
  assert.equal(raw(Uint8Array.of(0), 'EC', 'P_256'), 'InvalidField');
  const infinity = [code('RecommendedCurve', 'P_384'), bytes(TAG.QString, Uint8Array.of(0))];
  assert.equal(
    refusal('PublicKey', structure(TAG.PublicKey, [keyBlock(infinity, 'TransparentECPublicKey', code('CryptographicAlgorithm', 'EC'))])),
    'InvalidField',
  );
  const spki = sequence(sequence(oid('1.2.840.10045.2.1'), oid('1.2.840.10045.3.1.7')), bits(Buffer.of(0)));
  assert.equal(refusal('PublicKey', structure(TAG.PublicKey, [keyBlock(spki, 'X_509', code('CryptographicAlgorithm', 'EC'))])), 'InvalidField');
  const next = generatePair('RSA').privateKey.export({ format: 'der', type: 'pkcs8' });
  assert.equal(refusal('PrivateKey', structure(TAG.PrivateKey, [keyBlock(next, 'PKCS_8')])), undefined);
});

const PAIRS: readonly (readonly [CryptographicAlgorithm, RecommendedCurve?])[] = [['RSA'], ['EC', 'P_521'], ['Ed25519'], ['MLKEM_768']];

test('the length in the KeyBlock is that of the key', () => {
  for (const [algorithm, curve] of PAIRS) {
    const pair = generatePair(algorithm, curve === undefined ? {} : { curve });
    const { length } = keyFacts(pair.publicKey);
    for (const [type, key, format] of [
      ['PrivateKey', pair.privateKey.export({ format: 'der', type: 'pkcs8' }), 'PKCS_8'],
      ['PublicKey', pair.publicKey.export({ format: 'der', type: 'spki' }), 'X_509'],
    ] as const) {
      const block = (...more: Node[]) => refusal(type, structure(TAG[type], [keyBlock(key, format, ...more)]));
      assert.equal(block(), undefined, algorithm);
      assert.equal(block(integer(TAG.CryptographicLength, length)), undefined, algorithm);
      for (const other of [length - 9, length * 2, 0, -1]) assert.equal(block(integer(TAG.CryptographicLength, other)), 'InvalidField', algorithm);
    }
  }
});

test('keys on curves may have the length of their field, of their order or of whole bytes', () => {
  const given: readonly (readonly [CryptographicAlgorithm, RecommendedCurve, readonly number[]])[] = [
    ['EC', 'P_521', [521, 528]],
    ['Ed25519', 'CURVEED25519', [253, 255, 256]],
    ['ECDH', 'CURVE25519', [253, 255, 256]],
    ['Ed448', 'CURVEED448', [446, 448, 456]],
  ];
  for (const [algorithm, curve, lengths] of given) {
    const { privateKey } = generatePair(algorithm, { curve });
    const key = privateKey.export({ format: 'der', type: 'pkcs8' });
    for (const length of lengths)
      assert.equal(
        refusal('PrivateKey', structure(TAG.PrivateKey, [keyBlock(key, 'PKCS_8', integer(TAG.CryptographicLength, length))])),
        undefined,
        `${length}`,
      );
  }
  for (const length of [253, 255, 256]) assert.equal(generatePair('Ed25519', { length }).length, 256);
  assert.throws(() => generatePair('Ed25519', { length: 384 }), /keys of CURVEED25519 do not have 384 bits/);
});

test('a key is bytes or a structure as its format says, inside its KeyValue unless it is wrapped', () => {
  const aes = [code('CryptographicAlgorithm', 'AES'), integer(TAG.CryptographicLength, 128)];
  const [raw, transparent] = [bytes(TAG.KeyMaterial, new Uint8Array(16)), structure(TAG.KeyMaterial, [bytes(TAG.Key, new Uint8Array(16))])];
  const told = (value: Node, format: keyof typeof ENUM.KeyFormatType, ...more: Node[]) => {
    const block = structure(TAG.KeyBlock, [code('KeyFormatType', format), value, ...aes, ...more]);
    const secret = structure(TAG.SecretData, [code('SecretDataType', 'Seed'), block]);
    const reasons = [refusedAs('SymmetricKey', structure(TAG.SymmetricKey, [block]))?.message, refusedAs('SecretData', secret)?.message];
    assert.equal(reasons[0], reasons[1]);
    return reasons[0];
  };
  const inside = (material: Node) => structure(TAG.KeyValue, [material]);
  const wrapped = structure(TAG.KeyWrappingData, [code('WrappingMethod', 'Encrypt')]);
  for (const format of ['Raw', 'Opaque'] as const) {
    assert.equal(told(inside(raw), format), undefined);
    assert.match(told(inside(transparent), format) ?? '', /takes a ByteString, not a Structure$/);
  }
  assert.equal(told(inside(transparent), 'TransparentSymmetricKey'), undefined);
  assert.match(told(inside(raw), 'TransparentSymmetricKey') ?? '', /the format TransparentSymmetricKey takes a Structure, not a ByteString$/);
  assert.match(told(bytes(TAG.KeyValue, new Uint8Array(16)), 'Raw') ?? '', /^KeyValue: a key without KeyWrappingData takes a Structure/);
  assert.equal(told(bytes(TAG.KeyValue, new Uint8Array(24)), 'Raw', wrapped), undefined);
  assert.equal(told(inside(bytes(TAG.KeyMaterial, new Uint8Array(24))), 'TransparentSymmetricKey', wrapped), undefined);
});

test('a private key that is encrypted, or PEM, is told as that', () => {
  const { privateKey } = generatePair('Ed25519');
  const message = (material: Uint8Array) => refusedAs('PrivateKey', structure(TAG.PrivateKey, [keyBlock(material, 'PKCS_8')]))?.message ?? '';
  const cipher = { type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'secret' } as const;
  assert.match(message(privateKey.export({ ...cipher, format: 'der' })), /encrypted PKCS#8/);
  assert.match(message(Buffer.from(privateKey.export({ ...cipher, format: 'pem' }))), /PEM/);
  assert.doesNotMatch(message(DATA), /encrypted|PEM/);
});

test('bytes behind a key in DER are refused', () => {
  const [rsa, ec] = [generatePair('RSA', { length: 2048 }), generatePair('EC', { curve: 'P_256' })];
  for (const [type, format, key] of [
    ['PrivateKey', 'PKCS_8', ec.privateKey.export({ format: 'der', type: 'pkcs8' })],
    ['PrivateKey', 'ECPrivateKey', ec.privateKey.export({ format: 'der', type: 'sec1' })],
    ['PrivateKey', 'PKCS_1', rsa.privateKey.export({ format: 'der', type: 'pkcs1' })],
    ['PrivateKey', 'Raw', rsa.privateKey.export({ format: 'der', type: 'pkcs1' })],
    ['PublicKey', 'X_509', ec.publicKey.export({ format: 'der', type: 'spki' })],
    ['PublicKey', 'PKCS_1', rsa.publicKey.export({ format: 'der', type: 'pkcs1' })],
  ] as const) {
    const named = code('CryptographicAlgorithm', format === 'Raw' || format === 'PKCS_1' ? 'RSA' : 'EC');
    const registered = (...more: number[]) => refusal(type, structure(TAG[type], [keyBlock(Buffer.from([...key, ...more]), format, named)]));
    assert.deepEqual([registered(), registered(0), registered(5, 0)], [undefined, 'InvalidField', 'InvalidField'], `${type} ${format}`);
  }
});

test('a key has the declared format, and a private key is no public one', () => {
  const { privateKey } = generatePair('RSA', { length: 2048 });
  const [pkcs1, pkcs8] = (['pkcs1', 'pkcs8'] as const).map((type) => privateKey.export({ format: 'der', type })) as [Buffer, Buffer];
  const message = (type: 'PrivateKey' | 'PublicKey', material: Buffer) =>
    refusedAs(type, structure(TAG[type], [keyBlock(material, 'PKCS_1', code('CryptographicAlgorithm', 'RSA'))]))?.message;
  assert.equal(message('PrivateKey', pkcs1), undefined);
  assert.match(message('PrivateKey', pkcs8) ?? '', /not a PrivateKey in the format PKCS_1: they are PKCS_8/);
  for (const material of [pkcs1, pkcs8]) assert.match(message('PublicKey', material) ?? '', /they are a private key/);
});

test('a DSA key whose signatures anybody could make is refused', () => {
  const { p, q, g, value } = dsaParts(generatePair('DSA', { length: 2048 }).publicKey);
  const key = (generator: bigint, y: bigint) => {
    const numbers = [bigInteger(TAG.P, p), bigInteger(TAG.Q, q), bigInteger(TAG.G, generator), bigInteger(TAG.Y, y)];
    const material = structure(TAG.KeyValue, [structure(TAG.KeyMaterial, numbers)]);
    return refusal('PublicKey', structure(TAG.PublicKey, [structure(TAG.KeyBlock, [code('KeyFormatType', 'TransparentDSAPublicKey'), material])]));
  };
  assert.deepEqual([key(g, value), key(1n, 1n), key(g, 1n), key(1n, value)], [undefined, 'InvalidField', 'InvalidField', 'InvalidField']);
});

test('bytes that are no public key of Ed25519 or Ed448 are refused', () => {
  for (const [algorithm, length] of [
    ['Ed25519', 32],
    ['Ed448', 57],
  ] as const) {
    const key = (material: Uint8Array) => structure(TAG.PublicKey, [keyBlock(material, 'Raw', code('CryptographicAlgorithm', algorithm))]);
    const good = Buffer.from(generatePair(algorithm, {}).publicKey.export({ format: 'jwk' }).x as string, 'base64url');
    assert.equal(refusal('PublicKey', key(good)), undefined);
    for (const first of [0, 1, 2])
      assert.equal(refusal('PublicKey', key(Uint8Array.of(first, ...new Uint8Array(length - 1)))), 'InvalidField', `${algorithm} ${first}`);
  }
});

test.run();
