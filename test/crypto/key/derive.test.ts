// Key derivation against RFC 6070, 7914 and 5869, AWS's example and OpenSSL's KBKDF, and what each method demands.
import { equal, throws } from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { test } from 'uvu';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { type DerivationInput, type DerivationMethod, derive } from '../../../crypto/derivation/derive.ts';

const text = (words: string) => Buffer.from(words);
const bytes = (hex: string) => Buffer.from(hex, 'hex');
const refused = (code: string, words: RegExp) => (error: unknown) => error instanceof CryptoError && error.code === code && words.test(error.message);
const derived = (method: DerivationMethod, input: Partial<DerivationInput>, length: number): string =>
  Buffer.from(derive(method, { parameters: {}, data: [], ...input, length })).toString('hex');

test('PBKDF2: RFC 6070 with SHA-1', () => {
  const answers: [number, string][] = [
    [1, '0c60c80f961f0e71f3a9b524af6012062fe037a6'],
    [2, 'ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957'],
    [4096, '4b007901b765489abead49d926f721d065a429c1'],
  ];
  for (const [iterationCount, expected] of answers) {
    const input = { key: text('password'), salt: text('salt'), iterationCount, parameters: { hashingAlgorithm: 'SHA_1' } } as const;
    equal(derived('PBKDF2', input, 20), expected);
  }
});

test('PBKDF2: RFC 7914 section 11, SHA-256 by default', () => {
  const expected = '55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783';
  equal(derived('PBKDF2', { key: text('passwd'), salt: text('salt'), iterationCount: 1 }, 64), expected);
});

test('PBKDF2 demands a salt and iterations within bounds', () => {
  const input = { key: text('password'), salt: text('salt') };
  throws(() => derived('PBKDF2', { key: text('password') }, 32), refused('invalid', /Salt/));
  throws(() => derived('PBKDF2', { ...input, iterationCount: -1 }, 32), refused('invalid', /iteration/));
  throws(() => derived('PBKDF2', { ...input, iterationCount: 3_000_001 }, 32), refused('invalid', /iteration count is too high/));
  throws(() => derived('PBKDF2', { ...input, iterationCount: 10_000 }, 65_536), refused('invalid', /iteration count is too high/));
});

test('HKDF: RFC 5869 test cases 1, 3 and 4', () => {
  const info = [bytes('f0f1f2f3f4f5f6f7f8f9')];
  const salt = bytes('000102030405060708090a0b0c');
  const one = '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865';
  equal(derived('HKDF', { key: Buffer.alloc(22, 0x0b), salt, data: info }, 42), one);
  const three = '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8';
  equal(derived('HKDF', { key: Buffer.alloc(22, 0x0b) }, 42), three);
  const four = '085a01ea1b10f36933068b56efa5ad81a4f14b822f5b091568a9cdd4f155fda2c22e422478d305f3f896';
  equal(derived('HKDF', { key: Buffer.alloc(11, 0x0b), salt, data: info, parameters: { hashingAlgorithm: 'SHA_1' } }, 42), four);
  throws(() => derived('HKDF', { key: text('k') }, 255 * 32 + 1), refused('failed', /at most 8160 bytes/));
  throws(() => derived('HKDF', { key: text('k'), data: [Buffer.alloc(1025)] }, 32), refused('invalid', /1024/));
});

test('HASH: over the key or over the data, never longer than the digest', () => {
  const expected = createHash('sha256').update('abc').digest('hex');
  const parameters = { hashingAlgorithm: 'SHA_256' } as const;
  equal(derived('HASH', { key: text('abc'), parameters }, 32), expected);
  equal(derived('HASH', { data: [text('abc')], parameters }, 16), expected.slice(0, 32));
  throws(() => derived('HASH', { key: text('abc'), parameters }, 33), refused('failed', /at most 32 bytes/));
  throws(() => derived('HASH', { key: text('abc'), data: [text('abc')], parameters }, 32), refused('invalid', /exactly one of/));
  throws(() => derived('HASH', { parameters }, 32), refused('invalid', /exactly one of/));
  throws(() => derived('HASH', { key: text('abc') }, 32), refused('invalid', /HashingAlgorithm/));
});

test('HMAC: over the data, by the algorithm of the key, whatever the parameters say', () => {
  const expected = createHmac('sha512', 'key').update('data').digest('hex');
  const input = { key: text('key'), data: [text('data')] };
  equal(derived('HMAC', { ...input, keyAlgorithm: 'HMAC_SHA512', parameters: { hashingAlgorithm: 'SHA_1' } }, 64), expected);
  equal(derived('HMAC', { ...input, keyAlgorithm: 'AES', parameters: { hashingAlgorithm: 'SHA_512' } }, 64), expected);
  equal(derived('HMAC', input, 32), createHmac('sha256', 'key').update('data').digest('hex'));
  throws(() => derived('HMAC', input, 33), refused('failed', /at most 32 bytes/));
  throws(() => derived('HMAC', { key: text('key') }, 32), refused('invalid', /exactly one DerivationData/));
});

test('ENCRYPT: the data under the key; CBC has an IV of zeros when none is given, CTR has none', () => {
  const input = { key: bytes('2b7e151628aed2a6abf7158809cf4f3c'), keyAlgorithm: 'AES', data: [bytes('6bc1bee22e409f96e93d7e117393172a')] } as const;
  const ecb = '3ad77bb40d7a3660a89ecaf32466ef97';
  equal(derived('ENCRYPT', { ...input, parameters: { blockCipherMode: 'ECB' } }, 16), ecb);
  equal(derived('ENCRYPT', { ...input, parameters: { blockCipherMode: 'CBC', paddingMethod: 'None' } }, 16), ecb);
  const iv = bytes('000102030405060708090a0b0c0d0e0f');
  equal(derived('ENCRYPT', { ...input, iv, parameters: { blockCipherMode: 'CBC' } }, 16), '7649abac8119b246cee98e9b12e9197d');
  throws(() => derived('ENCRYPT', { ...input, parameters: { blockCipherMode: 'CTR' } }, 16), refused('missing_iv', /CTR/));
  throws(() => derived('ENCRYPT', input, 16), refused('invalid', /BlockCipherMode/));
  throws(() => derived('ENCRYPT', { ...input, parameters: { blockCipherMode: 'ECB' } }, 17), refused('failed', /at most 16 bytes/));
});

// `openssl kdf ... KBKDF` with the label "label" and the context "context".
const KBKDF = { key: Buffer.from(Array.from({ length: 32 }, (_, i) => i)), data: [text('label\0context')] };

test('SP 800-108 in counter mode', () => {
  const sha256 = 'ccf815abbfaf54b0eac7a24be7e75bb3f09dd7e4d7f93251c3242b931858c363f1bb0d51014168013faa4aa2b8cc85ac';
  equal(derived('NIST800_108_C', KBKDF, 48), sha256);
  equal(derived('NIST800_108_C', { ...KBKDF, parameters: { hashingAlgorithm: 'SHA_512' } }, 20), '363cb9aad5857a3936b14ef985f632382ac35544');
  const cmac = 'f14b2590d159191e74c966b0ccefd4e8acc21dac50a6b9816be8a8b591834af5291ae4253390327d';
  equal(derived('NIST800_108_C', { ...KBKDF, keyAlgorithm: 'AES', parameters: { blockCipherMode: 'CMAC' } }, 40), cmac);
});

test('SP 800-108 in feedback mode', () => {
  const empty = 'ccf815abbfaf54b0eac7a24be7e75bb3f09dd7e4d7f93251c3242b931858c3630c9b371c0655b76527344f33b33ae3c7';
  equal(derived('NIST800_108_F', KBKDF, 48), empty);
  const seeded = 'de4ba7fa5f87d13c57f6e5c53920ec0c1890485a2c47b65a0a5a1f0115fe01ab130c5a34f8cdfe7811b6779d935d17e6';
  equal(derived('NIST800_108_F', { ...KBKDF, iv: bytes('101112131415161718191a1b1c1d1e1f'.repeat(2)) }, 48), seeded);
});

test('SP 800-108 in double-pipeline iteration mode: the formula of section 5.3, reckoned in Python', () => {
  const expected = 'ff185c2989312cf14507cbc2fafbbc89cfde405651b52af66fae4418e62e14ef2496abf315039f7c08ff745ce0e9ba79';
  equal(derived('NIST800_108_DPI', KBKDF, 48), expected);
});

test('AWS Signature Version 4: the example of its documentation', () => {
  const key = text('wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY');
  const expected = 'c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9';
  equal(derived('AWSSignatureVersion4', { key, data: [text('20150830'), text('us-east-1'), text('iam')] }, 32), expected);
  throws(() => derived('AWSSignatureVersion4', { key, data: [text('20150830')] }, 32), refused('invalid', /date, region and service/));
});

test('what is not derived is refused', () => {
  throws(() => derived('AsymmetricKey', {}, 32), refused('unsupported_derivation', /AsymmetricKey/));
  throws(() => derived('HKDF', {}, 32), refused('invalid', /derivation key/));
  throws(() => derived('HKDF', { key: text('k') }, 0), refused('invalid', /1 to 65536/));
});

test.run();
