// Asymmetric encryption, key agreement and encapsulation: known answers, OpenSSL against ours, what must not decrypt.
import assert from 'node:assert/strict';
import { constants, createPublicKey, type KeyObject, privateDecrypt, publicEncrypt } from 'node:crypto';
import fc from 'fast-check';
import { test } from 'uvu';
import { decrypt, encrypt } from '../../../crypto/cipher/asymmetric-encrypt.ts';
import { decryptOaep, encryptOaep } from '../../../crypto/cipher/oaep.ts';
import type { CryptoError } from '../../../crypto/crypto-error.ts';
import { digestOf } from '../../../crypto/digest-name.ts';
import { decapsulate, encapsulate } from '../../../crypto/key/encapsulation.ts';
import { agree } from '../../../crypto/key/key-agreement.ts';
import { generatePair } from '../../../crypto/key/key-pair.ts';
import type { CryptographicParameters, RecommendedCurve } from '../../../crypto/parameters.ts';
import { importKey } from '../../../kmip/key-format/key-format.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const data = Buffer.from('The quick brown fox');
const rsa = generatePair('RSA');
const failed = (error: unknown) => (error as CryptoError).code === 'failed' && (error as CryptoError).message === 'decryption failed';
const refused = (code: string, text: RegExp) => (error: unknown) => (error as CryptoError).code === code && text.test((error as CryptoError).message);

function flipped(bytes: Uint8Array, at: number): Buffer {
  const other = Buffer.from(bytes);
  other[at] = (other[at] as number) ^ 1;
  return other;
}

test('RFC 7748 section 6: X25519 and X448', () => {
  const answers = [
    {
      curve: 'CURVE25519',
      alice: ['77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a', '8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a'],
      bob: ['5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb', 'de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f'],
      secret: '4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742',
    },
    {
      curve: 'CURVE448',
      alice: [
        '9a8f4925d1519f5775cf46b04b5800d4ee9ee8bae8bc5565d498c28dd9c9baf574a9419744897391006382a6f127ab1d9ac2d8c0a598726b',
        '9b08f7cc31b7e3e67d22d5aea121074a273bd2b83de09c63faa73d2c22c5d9bbc836647241d953d40c5b12da88120d53177f80e532c41fa0',
      ],
      bob: [
        '1c306a7ac2a0e2e0990b294470cba339e6453772b075811d8fad0d1d6927c120bb5ee8972b0d3e21374c9c921b09d1b0366f10b65173992d',
        '3eb7a829b0cd20f5bcfc0b599b6feccf6da4627107bdb0d4f345b43027d8b972fc3e34fb4232a13ca706dcb57aec3dae07bdc1c67bf33609',
      ],
      secret: '07fff4181ac6cc95ec1c16a94a0f74d12da232ce40a77552281d282bb60c0b56fd2464c335543936521c24403085d59a449a5037514a879d',
    },
  ] as const;
  for (const { curve, alice, bob, secret } of answers) {
    for (const [mine, theirs] of [
      [alice, bob],
      [bob, alice],
    ] as const) {
      const privateKey = importKey('PrivateKey', 'Raw', hex(mine[0]), 'ECDH', curve);
      assert.ok(createPublicKey(privateKey).equals(importKey('PublicKey', 'Raw', hex(mine[1]), 'ECDH', curve)));
      assert.equal(Buffer.from(agree(privateKey, importKey('PublicKey', 'Raw', hex(theirs[1]), 'ECDH', curve))).toString('hex'), secret);
    }
  }
});

test('agreement is mutual, refuses other curves and points of small order', () => {
  for (const curve of ['P_256', 'P_521', 'SECP256K1', 'BRAINPOOLP384R1', 'B_283'] as RecommendedCurve[]) {
    const [one, other] = [generatePair('ECDH', { curve }), generatePair('ECDH', { curve })];
    assert.deepEqual(agree(one.privateKey, other.publicKey), agree(other.privateKey, one.publicKey));
  }
  const dh = [generatePair('DH'), generatePair('DH')] as const;
  assert.deepEqual(agree(dh[0].privateKey, dh[1].publicKey), agree(dh[1].privateKey, dh[0].publicKey));
  const x25519 = generatePair('ECDH', { curve: 'CURVE25519' });
  assert.throws(() => agree(x25519.privateKey, generatePair('ECDH', { curve: 'CURVE448' }).publicKey), refused('invalid', /same curve/));
  assert.throws(
    () => agree(x25519.privateKey, importKey('PublicKey', 'Raw', Buffer.alloc(32), 'ECDH', 'CURVE25519')),
    refused('failed', /key agreement failed/),
  );
  assert.throws(() => agree(rsa.privateKey, rsa.publicKey), refused('unsupported', /RSA/));
});

const schemes: CryptographicParameters[] = [
  {},
  { paddingMethod: 'PKCS1V1_5' },
  { paddingMethod: 'OAEP', hashingAlgorithm: 'SHA_1' },
  { paddingMethod: 'OAEP', hashingAlgorithm: 'SHA_384', pSource: Buffer.from('label') },
  { paddingMethod: 'OAEP', hashingAlgorithm: 'SHA_512', maskGenerator: 'MGF1', maskGeneratorHashingAlgorithm: 'SHA_1', pSource: Buffer.from('label') },
  { paddingMethod: 'None', hashingAlgorithm: 'SHA_256' },
  { paddingMethod: 'None', hashingAlgorithm: 'SHA_1', maskGeneratorHashingAlgorithm: 'SHA_256' },
];

for (const parameters of schemes) {
  test(`RSA ${JSON.stringify(parameters)}`, () => {
    for (const message of [data, Buffer.of(7), Buffer.alloc(50)])
      assert.deepEqual(decrypt(rsa.privateKey, parameters, encrypt(rsa.publicKey, parameters, message)), message);
    const ciphertext = encrypt(rsa.publicKey, parameters, data);
    if (parameters.paddingMethod === 'PKCS1V1_5') return;
    const empty = new Uint8Array();
    for (const wrong of [flipped(ciphertext, 100), flipped(ciphertext, 255), ciphertext.subarray(1), empty, Buffer.alloc(256, 0xff)])
      assert.throws(() => decrypt(rsa.privateKey, parameters, wrong), failed);
    assert.throws(() => decrypt(generatePair('RSA').privateKey, parameters, ciphertext), failed);
    if (parameters.pSource !== undefined) assert.throws(() => decrypt(rsa.privateKey, { ...parameters, pSource: Buffer.from('Label') }, ciphertext), failed);
  });
}

test('OpenSSL reads our OAEP and we read its', () => {
  for (const hashingAlgorithm of ['SHA_1', 'SHA_256', 'SHA_512', 'SHA3_256'] as const) {
    const digest = digestOf(hashingAlgorithm);
    const label = Buffer.from('label');
    const scheme = { digest, maskDigest: digest, label };
    const options = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: digest.name, oaepLabel: label };
    const fits = fc.uint8Array({ maxLength: 256 - 2 * digest.length - 2 });
    fc.assert(
      fc.property(fits, (message) => {
        assert.deepEqual(privateDecrypt({ key: rsa.privateKey, ...options }, encryptOaep(rsa.publicKey, scheme, message)), Buffer.from(message));
        assert.deepEqual(decryptOaep(rsa.privateKey, scheme, publicEncrypt({ key: rsa.publicKey, ...options }, message)), Buffer.from(message));
      }),
      { numRuns: 15 },
    );
  }
});

test('OAEP blocks that are wrong in one place each do not open', () => {
  const digest = digestOf('SHA_256');
  const scheme = { digest, maskDigest: digest, label: new Uint8Array() };
  // A message that is all zeros and one that ends the padding early have their own place for the 01.
  for (const message of [Buffer.alloc(190), Buffer.alloc(0), Buffer.of(1), Buffer.of(0, 1, 0)]) {
    assert.deepEqual(decryptOaep(rsa.privateKey, scheme, encryptOaep(rsa.publicKey, scheme, message)), message);
    assert.equal(decryptOaep(rsa.privateKey, { ...scheme, label: Buffer.of(0) }, encryptOaep(rsa.publicKey, scheme, message)), undefined);
    assert.equal(decryptOaep(rsa.privateKey, { ...scheme, maskDigest: digestOf('SHA_1') }, encryptOaep(rsa.publicKey, scheme, message)), undefined);
  }
});

test('PKCS#1 v1.5: a wrong padding is not told from a right one', () => {
  const parameters = { paddingMethod: 'PKCS1V1_5' } as const;
  const wrong = flipped(encrypt(rsa.publicKey, parameters, data), 200);
  const first = decrypt(rsa.privateKey, parameters, wrong);
  assert.deepEqual(decrypt(rsa.privateKey, parameters, wrong), first);
  assert.notDeepEqual(Buffer.from(first), data);
});

test('a ciphertext that begins with zeros may not be had without them', () => {
  for (const parameters of [{}, { paddingMethod: 'PKCS1V1_5' }, { maskGeneratorHashingAlgorithm: 'SHA_1' }] as const) {
    let ciphertext = encrypt(rsa.publicKey, parameters, data);
    while (ciphertext[0] !== 0) ciphertext = encrypt(rsa.publicKey, parameters, data);
    assert.deepEqual(decrypt(rsa.privateKey, parameters, ciphertext), data);
    assert.throws(() => decrypt(rsa.privateKey, parameters, ciphertext.subarray(1)), failed);
  }
});

test('data that do not fit are refused, and the key wrap takes more', () => {
  const tooLarge = refused('invalid', /^data too large for this key$/);
  assert.throws(() => encrypt(rsa.publicKey, { paddingMethod: 'PKCS1V1_5' }, Buffer.alloc(246)), tooLarge);
  assert.ok(encrypt(rsa.publicKey, { paddingMethod: 'PKCS1V1_5' }, Buffer.alloc(245)));
  assert.throws(() => encrypt(rsa.publicKey, {}, Buffer.alloc(191)), tooLarge);
  assert.ok(encrypt(rsa.publicKey, {}, Buffer.alloc(190)));
  assert.throws(() => encrypt(rsa.publicKey, { hashingAlgorithm: 'SHA_512', maskGeneratorHashingAlgorithm: 'SHA_1' }, Buffer.alloc(127)), tooLarge);
  const large = Buffer.alloc(5001, 7);
  const wrapped = encrypt(rsa.publicKey, { paddingMethod: 'None' }, large);
  // 256 of RSA, then eight bytes more than the data, whose length is made a multiple of eight.
  assert.equal(wrapped.length, 256 + 5008 + 8);
  assert.deepEqual(decrypt(rsa.privateKey, { paddingMethod: 'None' }, wrapped), large);
});

test('ECIES on curves of both kinds', () => {
  for (const curve of ['P_256', 'P_384', 'P_521', 'SECP256K1', 'CURVE25519', 'CURVE448'] as RecommendedCurve[]) {
    const { privateKey, publicKey } = generatePair('ECDH', { curve });
    const [one, two] = [encrypt(publicKey, {}, data), encrypt(publicKey, {}, data)];
    assert.notDeepEqual(one, two);
    for (const sealed of [one, two, encrypt(privateKey, {}, data)]) assert.deepEqual(decrypt(privateKey, {}, sealed), data);
    for (let at = 0; at < one.length; at++) assert.throws(() => decrypt(privateKey, {}, flipped(one, at)), failed, `${curve} byte ${at}`);
    for (const short of [new Uint8Array(), one.subarray(0, 20), one.subarray(0, -1)]) assert.throws(() => decrypt(privateKey, {}, short), failed);
    assert.throws(() => decrypt(generatePair('ECDH', { curve }).privateKey, {}, one), failed);
    assert.throws(() => decrypt(privateKey, {}, one, Buffer.from('more')), failed);
    assert.deepEqual(decrypt(privateKey, {}, encrypt(publicKey, {}, new Uint8Array(), data), data), Buffer.alloc(0));
  }
});

test('ML-KEM: sizes of FIPS 203 table 3, one secret on both sides, another for another key', () => {
  for (const [algorithm, size] of [
    ['MLKEM_512', 768],
    ['MLKEM_768', 1088],
    ['MLKEM_1024', 1568],
  ] as const) {
    const { privateKey, publicKey } = generatePair(algorithm);
    const { sharedSecret, ciphertext } = encapsulate(publicKey);
    assert.equal(ciphertext.length, size);
    assert.equal(sharedSecret.length, 32);
    assert.deepEqual(decapsulate(privateKey, ciphertext), sharedSecret);
    assert.notDeepEqual(decapsulate(privateKey, flipped(ciphertext, 9)), sharedSecret);
    assert.notDeepEqual(decapsulate(generatePair(algorithm).privateKey, ciphertext), sharedSecret);
    assert.throws(() => decapsulate(privateKey, ciphertext.subarray(1)), failed);
    assert.throws(() => encrypt(publicKey, {}, data), refused('unsupported', /cannot encrypt/));
  }
  assert.throws(() => encapsulate(rsa.publicKey), refused('unsupported', /RSA/));
});

test('refusals', () => {
  const key: KeyObject = rsa.publicKey;
  assert.throws(() => encrypt(key, { paddingMethod: 'PSS' }, data), refused('unsupported', /PSS/));
  assert.throws(() => encrypt(key, { hashingAlgorithm: 'MD2' }, data), refused('unsupported', /MD2/));
  assert.throws(() => encrypt(key, { cryptographicAlgorithm: 'EC' }, data), refused('bad_parameters', /RSA/));
  assert.throws(() => encrypt(key, { paddingMethod: 'None' }, new Uint8Array()), refused('invalid', /must not be empty/));
  assert.throws(() => decrypt(key, {}, data), refused('wrong_key', /private/));
  assert.throws(() => encrypt(generatePair('Ed25519').publicKey, {}, data), refused('unsupported', /Ed25519/));
});

test.run();
