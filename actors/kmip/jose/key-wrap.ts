// AES key wrap with its default initial value (RFC 3394, RFC 7518 section 4.4).
import { createSecretKey } from 'node:crypto';
import { type Cipher, cipherFor } from '../../../crypto/cipher/cipher.ts';

const cipherOf = (key: Uint8Array): Cipher => cipherFor('AES', { blockCipherMode: 'NISTKeyWrap' }, key.length);

export function wrap(key: Uint8Array, contentKey: Uint8Array): Uint8Array {
  return cipherOf(key).encrypt(createSecretKey(key), { data: contentKey }).data;
}

/** @returns undefined where the bytes were not wrapped with this key */
export function unwrap(key: Uint8Array, wrapped: Uint8Array): Uint8Array | undefined {
  try {
    return cipherOf(key).decrypt(createSecretKey(key), { data: wrapped });
  } catch {
    return undefined;
  }
}
