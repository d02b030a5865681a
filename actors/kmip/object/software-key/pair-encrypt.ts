// Encryption with the public key of a pair: RSA, ECIES, and the encapsulation of ML-KEM.
import type { KeyObject } from 'node:crypto';
import { encrypt } from '../../../../crypto/cipher/asymmetric-encrypt.ts';
import { encapsulate } from '../../../../crypto/key/encapsulation.ts';
import type { Encrypted, Encryption } from '../key.ts';
import { pairCipher } from './ciphers.ts';

/** ML-KEM encrypts no data: the result's `data` is a new shared secret and `iv` its encapsulation (FIPS 203). */
export function encryptWithPair(key: KeyObject, { parameters, data, aad }: Encryption): Encrypted {
  if (pairCipher(key).name !== 'ML-KEM') return { data: encrypt(key, parameters, data, aad) };
  const { sharedSecret, ciphertext } = encapsulate(key);
  return { data: sharedSecret, iv: ciphertext };
}
