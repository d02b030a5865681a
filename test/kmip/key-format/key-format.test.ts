// Key formats: every one there and back for keys of every algorithm, incomplete RSA keys, what is refused.
import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { test } from 'uvu';
import { bits, nullElement, oid, sequence, unsigned } from '../../../crypto/der.ts';
import { CURVES } from '../../../crypto/key/curve.ts';
import { keyFacts } from '../../../crypto/key/key-algorithm.ts';
import { generatePair, type KeyPair } from '../../../crypto/key/key-pair.ts';
import { rsaIntegersOf } from '../../../crypto/key/rsa-key.ts';
import type { CryptographicAlgorithm, RecommendedCurve } from '../../../crypto/parameters.ts';
import { publicKeyOf } from '../../../crypto/x509/certificate-facts.ts';
import { refusalOf } from '../../../kmip/crypto-refusal.ts';
import { defaultFormat, exportKey, importKey } from '../../../kmip/key-format/key-format.ts';
import type { KeyFormatType } from '../../../kmip/key-format/key-format-type.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { bigInteger, bytes, enumeration, type Node, type Structure, structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';

const FORMATS = Object.keys(ENUM.KeyFormatType) as KeyFormatType[];
const ALGORITHMS = (Object.keys(ENUM.CryptographicAlgorithm) as CryptographicAlgorithm[]).filter((name) => /^(ML|SLH)/.test(name));

const material = (exported: Uint8Array | Node[]): Uint8Array | Structure => (Array.isArray(exported) ? structure(TAG.KeyMaterial, exported) : exported);
const refused = (reason: string, text: RegExp) => (error: unknown) => refusalOf(error)?.reason === reason && text.test(refusalOf(error)?.message ?? '');

/** Private keys are equal when all of their parts are: equals() looks at the public ones only. */
function same(a: KeyObject, b: KeyObject): boolean {
  const der = (key: KeyObject) => (key.type === 'private' ? key.export({ format: 'der', type: 'pkcs8' }) : key.export({ format: 'der', type: 'spki' }));
  return der(a).equals(der(b));
}

/** The formats that a key has; each is read back and compared. */
function formatsOf(key: KeyObject, algorithm: CryptographicAlgorithm): KeyFormatType[] {
  const kind = key.type === 'private' ? 'PrivateKey' : 'PublicKey';
  return FORMATS.filter((format) => {
    let exported: Uint8Array | Node[];
    try {
      exported = exportKey(key, format);
    } catch (error) {
      assert.equal(refusalOf(error)?.reason, 'KeyFormatTypeNotSupported', format);
      return false;
    }
    const back = importKey(kind, format, material(exported), algorithm, keyFacts(key).curve);
    // PKCS#8 keeps the seed of ML-KEM and ML-DSA keys, the bytes of FIPS 203 and 204 do not.
    assert.ok(/^ML/.test(algorithm) ? back.equals(key) : same(back, key), `${algorithm} ${format}`);
    // What was read can be given out in every format as well.
    assert.deepEqual(exportKey(back, format), exported, `${algorithm} ${format}`);
    if (algorithm === 'RSA')
      for (const other of ['PKCS_1', 'PKCS_8'] as const) assert.deepEqual(exportKey(back, other), exportKey(key, other), `${format} ${other}`);
    return true;
  });
}

const EC_OLD = ['TransparentECDSA', 'TransparentECDH', 'TransparentECMQV', 'TransparentEC'];
const transparentEc = (kind: 'PrivateKey' | 'PublicKey') => EC_OLD.map((name) => `${name}${kind}`);

test('keys on every curve, in every format they have', () => {
  assert.equal(CURVES.length, Object.keys(ENUM.RecommendedCurve).length);
  for (const curve of CURVES) {
    const isEdwards = curve.startsWith('CURVEED');
    const isOkp = curve.startsWith('CURVE');
    const algorithm = isEdwards ? 'ECDSA' : 'ECDH';
    const { privateKey, publicKey } = generatePair(algorithm, { curve });
    assert.equal(keyFacts(privateKey).curve, curve);
    assert.deepEqual(formatsOf(privateKey, algorithm), ['Raw', 'PKCS_8', ...(isOkp ? [] : ['ECPrivateKey']), ...transparentEc('PrivateKey')], curve);
    assert.deepEqual(formatsOf(publicKey, algorithm), ['Raw', 'PKCS_8', 'X_509', ...transparentEc('PublicKey')], curve);
  }
});

test('RSA, DSA and DH keys in every format they have', () => {
  const expected: [CryptographicAlgorithm, string[], string[]][] = [
    ['RSA', ['Raw', 'PKCS_1', 'PKCS_8', 'TransparentRSAPrivateKey'], ['Raw', 'PKCS_1', 'PKCS_8', 'X_509', 'TransparentRSAPublicKey']],
    ['DSA', ['PKCS_8', 'TransparentDSAPrivateKey'], ['PKCS_8', 'X_509', 'TransparentDSAPublicKey']],
    ['DH', ['PKCS_8', 'TransparentDHPrivateKey'], ['PKCS_8', 'X_509', 'TransparentDHPublicKey']],
  ];
  for (const [algorithm, ofPrivate, ofPublic] of expected) {
    const pair = generatePair(algorithm);
    assert.equal(pair.length, 2048);
    assert.deepEqual(formatsOf(pair.privateKey, algorithm), ofPrivate);
    assert.deepEqual(formatsOf(pair.publicKey, algorithm), ofPublic);
  }
});

test('post-quantum keys have the bytes of FIPS 203, 204 and 205; seeds make the same keys', () => {
  const sizes: Partial<Record<CryptographicAlgorithm, [number, number]>> = {
    MLKEM_512: [1632, 800],
    MLKEM_768: [2400, 1184],
    MLKEM_1024: [3168, 1568],
    MLDSA_44: [2560, 1312],
    MLDSA_65: [4032, 1952],
    MLDSA_87: [4896, 2592],
  };
  for (const algorithm of ALGORITHMS) {
    const { privateKey, publicKey, length } = generatePair(algorithm);
    assert.equal(keyFacts(privateKey).algorithm, algorithm);
    assert.deepEqual([...formatsOf(privateKey, algorithm), ...formatsOf(publicKey, algorithm)], ['Raw', 'PKCS_8', 'Raw', 'PKCS_8', 'X_509'], algorithm);
    const hashBytes = Number(/_(\d{3})[sf]$/.exec(algorithm)?.[1]) / 8;
    const [secret, point] = sizes[algorithm] ?? [4 * hashBytes, 2 * hashBytes];
    assert.equal((exportKey(privateKey, 'Raw') as Uint8Array).length, secret, algorithm);
    assert.equal((exportKey(publicKey, 'Raw') as Uint8Array).length, point, algorithm);
    assert.equal(length, point * 8);
    if (!algorithm.startsWith('ML')) continue;
    const seed = privateKey.export({ format: 'raw-seed' } as never) as unknown as Buffer;
    assert.ok(importKey('PrivateKey', 'Raw', seed, algorithm).equals(privateKey));
  }
});

const rsa = generatePair('RSA');
const rsaNodes = exportKey(rsa.privateKey, 'TransparentRSAPrivateKey') as Node[];
const withTags = (...tags: number[]): Structure =>
  structure(
    TAG.KeyMaterial,
    rsaNodes.filter(({ tag }) => tags.includes(tag)),
  );

test('RSA private keys are completed from what the specification allows to be given', () => {
  const { Modulus, PrivateExponent, PublicExponent, P, Q, PrimeExponentP, PrimeExponentQ } = TAG;
  const enough = [
    [Modulus, PrivateExponent, PublicExponent],
    [Modulus, PrivateExponent],
    [Modulus, P, Q],
    [Modulus, P, Q, PublicExponent],
    [Modulus, P, Q, PrivateExponent],
    [Modulus, Q, PublicExponent],
    [Modulus, PrimeExponentP, PrimeExponentQ, PublicExponent],
    [Modulus, P, Q, PrimeExponentP, PrimeExponentQ],
  ];
  for (const tags of enough) {
    const key = importKey('PrivateKey', 'TransparentRSAPrivateKey', withTags(...tags), 'RSA');
    assert.ok(key.equals(rsa.privateKey));
    const modulus = (exportKey(key, 'TransparentRSAPrivateKey') as { value: bigint }[])[0]?.value;
    assert.equal(modulus, (rsaNodes[0] as { value: bigint }).value);
  }
  const attempt = (structured: Structure) => () => importKey('PrivateKey', 'TransparentRSAPrivateKey', structured, 'RSA');
  assert.throws(attempt(withTags(Modulus, PublicExponent)), refused('MissingData', /PrivateExponent/));
  assert.throws(attempt(withTags(PrivateExponent, PublicExponent)), refused('InvalidMessage', /Modulus/));
  const spoiled = (tag: number, change: (value: bigint) => bigint): Structure =>
    structure(
      TAG.KeyMaterial,
      rsaNodes.map((node) => (node.tag === tag ? bigInteger(tag, change((node as { value: bigint }).value)) : node)),
    );
  for (const tag of [Modulus, PrivateExponent, P, Q, PublicExponent])
    assert.throws(attempt(spoiled(tag, (value) => value + 2n)), refused('InvalidField', /do not fit together/));
  assert.throws(attempt(spoiled(Modulus, (value) => -value)), refused('InvalidField', /positive/));
});

test('a key of a thousand bits and a public exponent of three is read too', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024, publicExponent: 3 });
  const nodes = exportKey(privateKey, 'TransparentRSAPrivateKey') as Node[];
  const few = structure(TAG.KeyMaterial, nodes.slice(0, 3));
  assert.ok(importKey('PrivateKey', 'TransparentRSAPrivateKey', few, 'RSA').equals(privateKey));
});

test('points may be compressed', () => {
  const { publicKey } = generatePair('EC', { curve: 'P_256' });
  const point = exportKey(publicKey, 'Raw') as Buffer;
  const compressed = Buffer.concat([Buffer.of(2 + ((point[64] as number) & 1)), point.subarray(1, 33)]);
  assert.ok(importKey('PublicKey', 'Raw', compressed, 'EC', 'P_256').equals(publicKey));
});

test('what is malformed or not what was declared is refused, without a word of OpenSSL', () => {
  const { privateKey, publicKey } = generatePair('EC', { curve: 'P_256' });
  const pkcs8 = exportKey(privateKey, 'PKCS_8') as Buffer;
  const invalid = refused('InvalidField', /^KeyMaterial: (?!.*error:)/);
  for (const format of ['PKCS_1', 'PKCS_8', 'ECPrivateKey'] as const) {
    assert.throws(() => importKey('PrivateKey', format, Buffer.from('not a key'), undefined), invalid);
    assert.throws(() => importKey('PrivateKey', format, new Uint8Array(), undefined), invalid);
  }
  assert.throws(() => importKey('PrivateKey', 'PKCS_8', pkcs8.subarray(0, -1), 'EC'), invalid);
  assert.throws(() => importKey('PrivateKey', 'PKCS_8', pkcs8, 'RSA'), refused('InvalidField', /EC, but RSA was declared/));
  assert.throws(() => importKey('PrivateKey', 'PKCS_8', pkcs8, 'EC', 'P_384'), refused('InvalidField', /P_384/));
  assert.throws(() => importKey('PublicKey', 'X_509', pkcs8, 'EC'), invalid);
  assert.throws(() => importKey('PrivateKey', 'X_509', pkcs8, 'EC'), refused('KeyFormatTypeNotSupported', /X_509/));
  assert.throws(
    () => importKey('PrivateKey', 'TransparentECPublicKey', structure(TAG.KeyMaterial, []), 'EC'),
    refused('KeyFormatTypeNotSupported', /Transparent/),
  );
  assert.throws(() => importKey('PrivateKey', 'TransparentECPrivateKey', pkcs8, 'EC'), refused('InvalidField', /takes a Structure, not a ByteString/));
  assert.throws(() => importKey('PrivateKey', 'PKCS_8', structure(TAG.KeyMaterial, []), 'EC'), refused('InvalidField', /takes a ByteString, not a Structure/));
  assert.throws(() => importKey('PublicKey', 'Raw', Buffer.alloc(65, 4), 'EC', 'P_256'), invalid);
  assert.throws(() => importKey('PublicKey', 'Raw', exportKey(publicKey, 'Raw') as Buffer, 'EC'), refused('InvalidField', /RecommendedCurve/));
  assert.throws(() => importKey('PrivateKey', 'Raw', Buffer.alloc(31), 'Ed25519'), invalid);
  assert.throws(() => importKey('PrivateKey', 'Raw', Buffer.alloc(100), 'MLKEM_768'), invalid);
  assert.throws(() => importKey('PrivateKey', 'Raw', Buffer.alloc(32), 'DSA'), refused('KeyFormatTypeNotSupported', /Raw/));
});

test('a key for PSS only is given out in the formats of other RSA keys', () => {
  const { privateKey } = generateKeyPairSync('rsa-pss', { modulusLength: 2048, hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha256' });
  const taken = importKey('PrivateKey', 'PKCS_8', privateKey.export({ format: 'der', type: 'pkcs8' }), 'RSA');
  const numbers = rsaIntegersOf(taken);
  for (const format of ['Raw', 'PKCS_1', 'TransparentRSAPrivateKey'] as const) {
    const back = importKey('PrivateKey', format, material(exportKey(taken, format)), 'RSA');
    assert.deepEqual(rsaIntegersOf(back), numbers, format);
  }
});

test('a modulus or exponent that no RSA key has is refused, also in a certificate', () => {
  const { publicKey } = generatePair('RSA', { length: 4096 });
  const { modulus = 0n } = rsaIntegersOf(publicKey);
  const numbers = (publicExponent: bigint, n = modulus) => sequence(unsigned(n), unsigned(publicExponent));
  const spki = (key: Buffer) => sequence(sequence(oid('1.2.840.113549.1.1.1'), nullElement()), bits(key));
  for (const good of [numbers(3n), numbers(65537n), numbers((1n << 64n) - 1n)]) {
    assert.ok(importKey('PublicKey', 'PKCS_1', good, 'RSA'));
    assert.ok(publicKeyOf(spki(good)));
  }
  for (const bad of [numbers(1n), numbers(65536n), numbers(65537n, modulus - 1n), numbers((1n << 64n) + 1n), numbers(modulus, 3n)]) {
    assert.throws(() => importKey('PublicKey', 'PKCS_1', bad, 'RSA'), refused('InvalidField', /^KeyMaterial: /));
    assert.throws(() => publicKeyOf(spki(bad)), /not those of an RSA key|malformed/);
  }
});

test('private numbers outside the curve, and public keys that are not of the private one, are refused', () => {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const ofNumber = (value: bigint) =>
    importKey(
      'PrivateKey',
      'TransparentECPrivateKey',
      structure(TAG.KeyMaterial, [enumeration(TAG.RecommendedCurve, ENUM.RecommendedCurve.P_256), bigInteger(TAG.D, value)]),
      'EC',
    );
  assert.ok(ofNumber(order - 1n));
  for (const value of [order, order + 1n, 1n << 300n, 0n, -1n]) assert.throws(() => ofNumber(value), refused('InvalidField', /KeyMaterial/));
  const [one, other] = [generatePair('EC', { curve: 'P_256' }), generatePair('EC', { curve: 'P_256' })];
  const mixed = Buffer.from(exportKey(one.privateKey, 'ECPrivateKey') as Buffer);
  mixed.set(exportKey(other.publicKey, 'Raw') as Buffer, mixed.length - 65);
  assert.throws(() => importKey('PrivateKey', 'ECPrivateKey', mixed, 'EC'), refused('InvalidField', /public key/));
  const offCurve = structure(TAG.KeyMaterial, [enumeration(TAG.RecommendedCurve, ENUM.RecommendedCurve.P_256), bytes(TAG.QString, Buffer.alloc(65, 4))]);
  assert.throws(() => importKey('PublicKey', 'TransparentECPublicKey', offCurve, 'EC'), refused('InvalidField', /KeyMaterial/));
});

test('default formats are those of table 81 of the specification', () => {
  assert.equal(defaultFormat('Certificate'), 'X_509');
  assert.equal(defaultFormat('CertificateRequest'), 'PKCS_10');
  assert.equal(defaultFormat('OpaqueObject'), 'Opaque');
  for (const type of ['PGPKey', 'SecretData', 'SymmetricKey', 'SplitKey'] as const) assert.equal(defaultFormat(type, 'AES'), 'Raw');
  assert.equal(defaultFormat('PrivateKey', 'RSA'), 'PKCS_1');
  assert.equal(defaultFormat('PublicKey', 'RSA'), 'PKCS_1');
  assert.equal(defaultFormat('PrivateKey', 'ECDSA'), 'TransparentECPrivateKey');
  assert.equal(defaultFormat('PublicKey', 'EC'), 'TransparentECPublicKey');
  assert.equal(defaultFormat('PublicKey', 'DSA'), 'TransparentDSAPublicKey');
  for (const algorithm of [...ALGORITHMS, 'Ed25519', 'Ed448'] as const) {
    const { privateKey } = generatePair(algorithm);
    assert.ok(exportKey(privateKey, defaultFormat('PrivateKey', algorithm)));
  }
});

test('pairs: defaults, and what is refused', () => {
  const length = (algorithm: CryptographicAlgorithm, bits?: number): KeyPair => generatePair(algorithm, bits === undefined ? {} : { length: bits });
  assert.equal(length('RSA').length, 2048);
  assert.equal(length('RSA', 3072).privateKey.asymmetricKeyDetails?.modulusLength, 3072);
  assert.equal(length('EC').curve, 'P_256');
  assert.equal(length('ECDSA', 521).curve, 'P_521');
  assert.equal(length('Ed25519', 256).curve, 'CURVEED25519');
  assert.ok(createPublicKey(createPrivateKey(length('Ed448').privateKey.export({ format: 'pem', type: 'pkcs8' }))));
  assert.throws(() => length('RSA', 1024), refused('InvalidField', /minimum key length/));
  assert.throws(() => length('DSA', 1024), refused('InvalidField', /minimum key length/));
  for (const [algorithm, bits] of [
    ['RSA', 8200],
    ['RSA', 2049],
    ['DSA', 4096],
    ['DH', 1024],
    ['EC', 255],
    ['Ed25519', 448],
  ] as const)
    assert.throws(() => length(algorithm, bits), refused('InvalidField', /CryptographicLength/));
  for (const [algorithm, curve] of [
    ['ECDSA', 'CURVE25519'],
    ['ECDH', 'CURVEED25519'],
    ['Ed25519', 'CURVEED448'],
    ['Ed25519', 'P_256'],
  ] as [CryptographicAlgorithm, RecommendedCurve][])
    assert.throws(() => generatePair(algorithm, { curve }), refused('InvalidField', /RecommendedCurve/));
  assert.throws(() => generatePair('AES'), refused('UnsupportedCryptographicParameters', /AES/));
});

test.run();
