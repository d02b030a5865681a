// Wrapping methods: what each protects, and that a change or another key is found.
import { deepEqual, equal, notDeepEqual, throws } from 'node:assert/strict';
import { test } from 'uvu';
import { cipherFor } from '../../../crypto/cipher/cipher.ts';
import { unwrap, type WrappingKeys, type WrappingMethod, wrap } from '../../../crypto/cipher/wrap.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { mac, macAlgorithm } from '../../../crypto/signature/mac.ts';

const MATERIAL = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
const KEK = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');
const MAC_KEY = Buffer.alloc(32, 5);
const encryption = (blockCipherMode?: 'NISTKeyWrap' | 'CBC' | 'GCM' | 'AESKeyWrapPadding') => ({
  ...{ key: KEK, algorithm: 'AES' as const },
  parameters: blockCipherMode === undefined ? {} : { blockCipherMode },
});
const KEYS: WrappingKeys = { encryption: encryption(), mac: { key: MAC_KEY, algorithm: 'HMAC_SHA256', parameters: {} } };
const failure = (code: string) => (error: unknown) => error instanceof CryptoError && error.code === code;

test('RFC 3394 4.1 through the wrapping method Encrypt', () => {
  const wrapped = wrap('Encrypt', { encryption: encryption('NISTKeyWrap') }, MATERIAL);
  equal(Buffer.from(wrapped.data).toString('hex'), '1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5');
  equal(wrapped.iv, undefined);
  deepEqual(Buffer.from(unwrap('Encrypt', { encryption: encryption('NISTKeyWrap') }, wrapped)), MATERIAL);
});

test('AES without a mode wraps by RFC 5649', () => {
  const padded = cipherFor('AES', { blockCipherMode: 'AESKeyWrapPadding' }, 16).encrypt(KEK, { data: MATERIAL });
  deepEqual(wrap('Encrypt', { encryption: encryption() }, MATERIAL).data, padded.data);
});

test('GCM puts its tag behind the ciphertext and makes a nonce each time, CBC an IV', () => {
  for (const [mode, bytes, ivBytes] of [['GCM', 32, 12] as const, ['CBC', 32, 16] as const]) {
    const keys = { encryption: encryption(mode) };
    const wrapped = wrap('Encrypt', keys, MATERIAL);
    deepEqual([wrapped.data.length, wrapped.iv?.length], [bytes, ivBytes]);
    notDeepEqual(wrap('Encrypt', keys, MATERIAL).iv, wrapped.iv);
    deepEqual(Buffer.from(unwrap('Encrypt', keys, wrapped)), MATERIAL);
    const iv = Buffer.alloc(ivBytes, 3);
    deepEqual(wrap('Encrypt', keys, MATERIAL, iv).iv, iv);
  }
  throws(() => unwrap('Encrypt', { encryption: encryption('GCM') }, { data: MATERIAL.subarray(1), iv: Buffer.alloc(12) }), failure('invalid'));
});

const METHODS: WrappingMethod[] = ['Encrypt', 'MACSign', 'EncryptThenMACSign', 'MACSignThenEncrypt'];
for (const method of METHODS) {
  test(`${method}: back to the material; a changed byte and another key are found`, () => {
    const wrapped = wrap(method, KEYS, MATERIAL);
    deepEqual(Buffer.from(unwrap(method, KEYS, wrapped)), MATERIAL);
    const changed = Uint8Array.from(wrapped.data);
    changed[3] = (changed[3] ?? 0) ^ 1;
    throws(() => unwrap(method, KEYS, { ...wrapped, data: changed }), failure('failed'));
    const others = {
      encryption: { ...encryption(), key: Buffer.alloc(16, 9) },
      mac: { key: Buffer.alloc(32, 9), algorithm: 'HMAC_SHA256', parameters: {} },
    } as const;
    throws(() => unwrap(method, others, wrapped), failure('failed'));
  });
}

test('what the MAC is over', () => {
  const over = (data: Uint8Array) => Buffer.from(mac(macAlgorithm('HMAC_SHA256', {}), MAC_KEY, data));
  deepEqual(wrap('MACSign', KEYS, MATERIAL), { data: MATERIAL, mac: over(MATERIAL) });
  const after = wrap('EncryptThenMACSign', KEYS, MATERIAL);
  deepEqual(after.mac, over(after.data));
  const before = wrap('MACSignThenEncrypt', KEYS, MATERIAL);
  equal(before.mac, undefined);
  deepEqual(Buffer.from(unwrap('Encrypt', KEYS, before)), Buffer.concat([MATERIAL, over(MATERIAL)]));
});

test('missing keys, a missing MAC and TR-31 are refused', () => {
  throws(() => wrap('Encrypt', {}, MATERIAL), failure('invalid'));
  throws(() => wrap('MACSign', { encryption: encryption() }, MATERIAL), failure('invalid'));
  throws(() => unwrap('MACSign', KEYS, { data: MATERIAL }), failure('invalid'));
  throws(() => wrap('TR_31', KEYS, MATERIAL), failure('unsupported_wrapping'));
  throws(() => unwrap('TR_31', KEYS, { data: MATERIAL }), failure('unsupported_wrapping'));
});

test.run();
