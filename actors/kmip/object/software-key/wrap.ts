// Encrypts key material with a stored key, and decrypts it (KMIP 2.1 section 3.3).
import type { KeyObject } from 'node:crypto';
import { decrypt, encrypt } from '../../../../crypto/cipher/asymmetric-encrypt.ts';
import { unwrap, type Wrapped, type WrappingKey, wrap, wrappingCipher } from '../../../../crypto/cipher/wrap.ts';
import type { CryptographicParameters } from '../../../../crypto/parameters.ts';
import { Refusal } from '../../../../kmip/refusal.ts';

export function wrapWith(key: KeyObject, parameters: CryptographicParameters, material: Uint8Array): Wrapped {
  if (key.type !== 'secret') return { data: encrypt(key, parameters, material) };
  return wrap('Encrypt', { encryption: aesKey(key, parameters) }, material);
}

export function unwrapWith(key: KeyObject, parameters: CryptographicParameters, wrapped: Wrapped): Uint8Array {
  if (key.type !== 'secret') return decrypt(key, parameters, wrapped.data);
  const encryption = aesKey(key, parameters);
  if (wrapped.data.length < wrappingCipher(encryption).tagBytes) throw new Refusal('CryptographicFailure', 'the wrapped key is too short');
  return unwrap('Encrypt', { encryption }, wrapped);
}

/** A symmetric wrapping key is always used with AES. */
function aesKey(key: KeyObject, parameters: CryptographicParameters): WrappingKey {
  return { key, algorithm: 'AES', parameters: { ...parameters, cryptographicAlgorithm: 'AES' } };
}
