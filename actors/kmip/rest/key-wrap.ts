// AES key wrap with its default initial value (RFC 3394, RFC 7518 section 4.4).
import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';

const INITIAL_VALUE = Buffer.alloc(8, 0xa6);

const cipherOf = (key: Uint8Array): string => `aes${key.length * 8}-wrap`;

export function wrap(key: Uint8Array, contentKey: Uint8Array): Uint8Array {
  return createCipheriv(cipherOf(key), createSecretKey(key), INITIAL_VALUE).update(contentKey);
}

/** @returns undefined where the bytes were not wrapped with this key */
export function unwrap(key: Uint8Array, wrapped: Uint8Array): Uint8Array | undefined {
  try {
    return createDecipheriv(cipherOf(key), createSecretKey(key), INITIAL_VALUE).update(wrapped);
  } catch {
    return undefined;
  }
}
