// AES-XTS (IEEE 1619, NIST SP 800-38E): encrypts one data unit, such as a disk sector, with its tweak.
import { createCipheriv, createDecipheriv, type KeyObject, timingSafeEqual } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { keyBytes, keyObject, type SecretKey } from '../key/secret-key.ts';
import type { Cipher } from './cipher.ts';
import { checkedIv, takesIv } from './initialization-vector.ts';

const RULE = { bytes: 16, min: 16, max: 16 };
const MIN_BYTES = 16;
/** 2^20 blocks (SP 800-38E). */
const MAX_BYTES = 2 ** 24;

/** The IV is the tweak. It cannot stream, because the last two blocks of a data unit depend on its length. */
export function xts(name: string, openssl: string): Cipher {
  return {
    ...{ name, ...takesIv(RULE), authenticated: false, tagBytes: 0 },
    encrypt: (key, { iv, data }) => ({ data: createCipheriv(openssl, checkedKey(key), checkedIv(name, RULE, iv)).update(checkedUnit(data)) }),
    decrypt: (key, { iv, data }) => createDecipheriv(openssl, checkedKey(key), checkedIv(name, RULE, iv)).update(checkedUnit(data)),
  };
}

function checkedKey(key: SecretKey): KeyObject {
  const bytes = keyBytes(key);
  const half = bytes.length / 2;
  if (timingSafeEqual(bytes.subarray(0, half), bytes.subarray(half))) throw new CryptoError('invalid', 'the two halves of an XTS key must differ');
  return keyObject(key);
}

function checkedUnit(data: Uint8Array): Uint8Array {
  if (data.length >= MIN_BYTES && data.length <= MAX_BYTES) return data;
  throw new CryptoError('invalid', `XTS takes ${MIN_BYTES} to ${MAX_BYTES} bytes of data, but ${data.length} were given`);
}
