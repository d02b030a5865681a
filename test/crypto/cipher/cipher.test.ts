// How ciphers are chosen, what they say of themselves and what they refuse.
import { deepEqual, equal, notEqual, throws } from 'node:assert/strict';
import { test } from 'uvu';
import { cipherFor } from '../../../crypto/cipher/cipher.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import type { BlockCipherMode, CryptographicAlgorithm } from '../../../crypto/parameters.ts';

const refused = (code: string, words: RegExp) => (error: unknown) => error instanceof CryptoError && error.code === code && words.test(error.message);

test('the same parameters give the same cipher, a counter value is not kept', () => {
  equal(cipherFor('AES', { blockCipherMode: 'GCM' }, 32), cipherFor('AES', { blockCipherMode: 'GCM' }, 32));
  notEqual(cipherFor('AES', { blockCipherMode: 'GCM' }, 16), cipherFor('AES', { blockCipherMode: 'GCM' }, 32));
  notEqual(cipherFor('AES', { blockCipherMode: 'GCM', tagLength: 12 }, 32), cipherFor('AES', { blockCipherMode: 'GCM' }, 32));
  notEqual(cipherFor('ChaCha20', { initialCounterValue: 7 }, 32), cipherFor('ChaCha20', { initialCounterValue: 7 }, 32));
});

test('a cipher says its name, what IV the server makes and which it takes', () => {
  const shape = (algorithm: CryptographicAlgorithm, blockCipherMode: BlockCipherMode | undefined, keyBytes: number) => {
    const { name, ivBytes, authenticated, tagBytes } = cipherFor(algorithm, blockCipherMode === undefined ? {} : { blockCipherMode }, keyBytes);
    return [name, ivBytes, authenticated, tagBytes];
  };
  deepEqual(shape('AES', undefined, 32), ['AES-256-GCM', 12, true, 16]);
  deepEqual(shape('AES', 'AEAD', 16), ['AES-128-GCM', 12, true, 16]);
  deepEqual(shape('AES', 'XTS', 64), ['AES-256-XTS', 16, false, 0]);
  deepEqual(shape('AES', 'ECB', 24), ['AES-192-ECB', undefined, false, 0]);
  deepEqual(shape('DES3', undefined, 24), ['3DES-CBC', 8, false, 0]);
  deepEqual(shape('AES', 'AESKeyWrapPadding', 32), ['AES-256-AESKeyWrapPadding', undefined, false, 0]);
  equal(cipherFor('AES', {}, 32).acceptsIv(1), true);
  equal(cipherFor('AES', {}, 32).acceptsIv(0), false);
  deepEqual(
    [7, 8, 12, 15, 16].map((bytes) => cipherFor('ChaCha20', {}, 32).acceptsIv(bytes)),
    [false, true, true, false, true],
  );
});

test('what is not supported is refused by its name', () => {
  throws(() => cipherFor('AES', { blockCipherMode: 'PCBC' }, 32), refused('unsupported', /AES in mode PCBC is not supported/));
  throws(() => cipherFor('RC4', {}, 16), refused('unsupported', /RC4 is not supported/));
  throws(() => cipherFor('ChaCha20', { blockCipherMode: 'CBC' }, 32), refused('unsupported', /ChaCha20 in mode CBC/));
  throws(() => cipherFor('AES', { blockCipherMode: 'CBC', paddingMethod: 'SSL3' }, 32), refused('unsupported', /padding SSL3/));
  throws(() => cipherFor('AES', {}, 20), refused('invalid', /128 or 192 or 256 bits, this one has 160/));
  throws(() => cipherFor('AES', { blockCipherMode: 'XTS' }, 16), refused('invalid', /256 or 512 bits/));
  throws(() => cipherFor('AES', { tagLength: 3 }, 32), refused('bad_tag_length', /invalid tag length/));
});

test('IVs and lengths that do not fit are refused', () => {
  const key = Buffer.alloc(32, 1);
  const cbc = cipherFor('AES', { blockCipherMode: 'CBC', paddingMethod: 'None' }, 32);
  const data = Buffer.alloc(17);
  throws(() => cbc.encrypt(key, { data }), refused('missing_iv', /needs an IV/));
  throws(() => cbc.encrypt(key, { data, iv: Buffer.alloc(8) }), refused('invalid', /invalid IV\/nonce length: 16 bytes are needed, 8 were given/));
  throws(() => cbc.encrypt(key, { data, iv: Buffer.alloc(16) }), refused('invalid', /multiple of 16 bytes/));
  const wrap = cipherFor('AES', { blockCipherMode: 'NISTKeyWrap' }, 32);
  throws(() => wrap.encrypt(key, { data }), refused('invalid', /a multiple of 8; 17 bytes were given/));
  throws(() => wrap.decrypt(key, { data: Buffer.alloc(16) }), refused('invalid', /at least 24/));
  throws(() => wrap.decrypt(key, { data: Buffer.alloc(24) }), refused('failed', /integrity/));
  const xts = cipherFor('AES', { blockCipherMode: 'XTS' }, 32);
  throws(() => xts.encrypt(key, { data, iv: Buffer.alloc(16) }), refused('invalid', /halves/));
  throws(() => xts.encrypt(Buffer.from([...key].map((_, i) => i)), { data: Buffer.alloc(15), iv: Buffer.alloc(16) }), refused('invalid', /15 were given/));
  const ccm = cipherFor('AES', { blockCipherMode: 'CCM' }, 32);
  throws(() => ccm.encrypt(key, { data: Buffer.alloc(65536), iv: Buffer.alloc(13) }), refused('invalid', /fewer than 65536/));
  throws(() => cipherFor('ChaCha20', { initialCounterValue: -1 }, 32), refused('invalid', /negative/));
});

test.run();
