// HMAC by RFC 2202 and RFC 4231, CMAC by RFC 4493 and NIST SP 800-38B, and which of them parameters mean.
import { deepEqual, equal, throws } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'uvu';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import { equalMac, type MacAlgorithm, mac, macAlgorithm, macBytes, macStream, macVerify } from '../../../crypto/signature/mac.ts';

const unsupported = (words: RegExp) => (error: unknown) => error instanceof CryptoError && error.code === 'unsupported' && words.test(error.message);

function answers(title: string, algorithm: MacAlgorithm, key: Buffer, data: Buffer, expected: string): void {
  test(title, () => {
    equal(Buffer.from(mac(algorithm, key, data)).toString('hex'), expected);
    equal(macBytes(algorithm), expected.length / 2);
    equal(macVerify(algorithm, key, data, Buffer.from(expected, 'hex')), true);
    equal(macVerify(algorithm, key, Buffer.concat([data, Buffer.of(0)]), Buffer.from(expected, 'hex')), false);
    equal(macVerify(algorithm, key, data, Buffer.from(expected, 'hex').subarray(1)), false);
  });
}

// RFC 2202 and RFC 4231 test case 2; for SHA-3, which has no RFC, what Python's hmac says of the same.
const JEFE: [CryptographicAlgorithm, string][] = [
  ['HMAC_MD5', '750c783e6ab0b503eaa86e310a5db738'],
  ['HMAC_SHA1', 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79'],
  ['HMAC_SHA224', 'a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44'],
  ['HMAC_SHA256', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
  ['HMAC_SHA384', 'af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649'],
  ['HMAC_SHA512', '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737'],
  ['HMAC_SHA3_224', '7fdb8dd88bd2f60d1b798634ad386811c2cfc85bfaf5d52bbace5e66'],
  ['HMAC_SHA3_256', 'c7d4072e788877ae3596bbb0da73b887c9171f93095b294ae857fbe2645e1ba5'],
  ['HMAC_SHA3_384', 'f1101f8cbf9766fd6764d2ed61903f21ca9b18f57cf3e1a23ca13508a93243ce48c045dc007f26a21b3f5e0e9df4c20a'],
  ['HMAC_SHA3_512', '5a4bfeab6166427c7a3647b747292b8384537cdb89afb3bf5665e4c5e709350b287baec921fd7ca0ee7a0c31d022a95e1fc92ba9d77df883960275beb4e62024'],
];
for (const [name, expected] of JEFE) {
  answers(`${name}, test case 2`, macAlgorithm(name, {}), Buffer.from('Jefe'), Buffer.from('what do ya want for nothing?'), expected);
}
const SHA256 = macAlgorithm('AES', { hashingAlgorithm: 'SHA_256' });
const LARGE = Buffer.from('Test Using Larger Than Block-Size Key - Hash Key First');
answers('RFC 4231 test case 6: a long key', SHA256, Buffer.alloc(131, 0xaa), LARGE, '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54');

const MESSAGE = Buffer.from(
  '6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710',
  'hex',
);
const AES_CMAC = macAlgorithm('AES', { blockCipherMode: 'CMAC' });
const AES_KEY = Buffer.from('2b7e151628aed2a6abf7158809cf4f3c', 'hex');
answers('RFC 4493 example 1: CMAC of nothing', AES_CMAC, AES_KEY, MESSAGE.subarray(0, 0), 'bb1d6929e95937287fa37d129b756746');
answers('RFC 4493 example 2: a block', AES_CMAC, AES_KEY, MESSAGE.subarray(0, 16), '070a16b46b4d4144f79bdd9dd04a287c');
answers('RFC 4493 example 3: 40 bytes', AES_CMAC, AES_KEY, MESSAGE.subarray(0, 40), 'dfa66747de9ae63030ca32611497c827');
answers('RFC 4493 example 4: 64 bytes', AES_CMAC, AES_KEY, MESSAGE, '51f0bebf7e3b9d92fc49741779363cfe');
const AES_256 = Buffer.from('603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4', 'hex');
answers('SP 800-38B: AES-256, nothing', AES_CMAC, AES_256, MESSAGE.subarray(0, 0), '028962f61b7bf89efc6b551f4667d983');
const TDEA_CMAC = macAlgorithm('DES3', { blockCipherMode: 'CMAC' });
const TDEA_KEY = Buffer.from('8aa83bf8cbda10620bc1bf19fbb6cd58bc313d4a371ca8b5', 'hex');
answers('SP 800-38B: 3DES, nothing', TDEA_CMAC, TDEA_KEY, MESSAGE.subarray(0, 0), 'b7a688e122ffaf95');
answers('SP 800-38B: 3DES, a block', TDEA_CMAC, TDEA_KEY, MESSAGE.subarray(0, 8), '8e8f293136283797');

for (const [name, algorithm] of [['HMAC', SHA256] as const, ['CMAC', AES_CMAC] as const]) {
  test(`${name} in pieces is ${name} of the whole`, () => {
    const property = fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 }), (pieces) => {
      const stream = macStream(algorithm, AES_KEY);
      for (const piece of pieces) stream.update(piece);
      equal(equalMac(stream.digest(), mac(algorithm, AES_KEY, Buffer.concat(pieces))), true);
    });
    fc.assert(property);
  });
}

test('a piece may be overwritten after it was given', () => {
  const stream = macStream(AES_CMAC, AES_KEY);
  const piece = Uint8Array.from(MESSAGE.subarray(0, 10));
  stream.update(piece);
  piece.fill(0);
  stream.update(MESSAGE.subarray(10));
  equal(Buffer.from(stream.digest()).toString('hex'), '51f0bebf7e3b9d92fc49741779363cfe');
});

test('what the algorithm of key and parameters means', () => {
  deepEqual(macAlgorithm('HMAC_SHA512', { hashingAlgorithm: 'SHA_512' }), { hmac: 'SHA_512' });
  deepEqual(macAlgorithm('AES', { cryptographicAlgorithm: 'HMAC_SHA384' }), { hmac: 'SHA_384' });
  deepEqual(macAlgorithm(undefined, { hashingAlgorithm: 'SHA_512_256' }), { hmac: 'SHA_512_256' });
  throws(() => macAlgorithm('HMAC_SHA256', { hashingAlgorithm: 'MD5' }), unsupported(/HMAC_SHA256 with the hashing algorithm MD5 is not supported/));
  deepEqual(macAlgorithm('AES', { blockCipherMode: 'CMAC', tagLength: 16 }), { cmac: 'AES' });
  throws(() => macAlgorithm('AES', { blockCipherMode: 'CMAC', tagLength: 8 }), unsupported(/TagLength: .* 16 bytes/));
  throws(() => macAlgorithm('HMAC_SHA256', { tagLength: 16 }), unsupported(/TagLength: .* 32 bytes/));
  throws(() => macAlgorithm('AES', {}), unsupported(/AES is not supported for a MAC without/));
  throws(() => macAlgorithm('AES', { blockCipherMode: 'CBC_MAC' }), unsupported(/CBC_MAC/));
  throws(() => macAlgorithm('AES', { hashingAlgorithm: 'Tiger' }), unsupported(/Tiger/));
  throws(() => mac(AES_CMAC, Buffer.alloc(20), MESSAGE), /does not take a key of 160 bits/);
});

test.run();
