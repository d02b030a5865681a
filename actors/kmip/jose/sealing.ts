// Encrypts and decrypts the content of a JWE (RFC 7516 sections 5.1 and 5.2).
import { cbcHmac } from '../../../crypto/cipher/cbc-hmac.ts';
import { type Cipher, cipherFor } from '../../../crypto/cipher/cipher.ts';
import { randomIv } from '../../../crypto/random.ts';
import type { ContentEncryption } from '../../../jose/content-encryption.ts';
import { andThen } from '../../../kernel/at-once.ts';
import { refusalOf } from '../../../kmip/crypto-refusal.ts';
import type { Key } from '../object/key.ts';
import { decryptionFailed } from './problem.ts';

export interface Sealed {
  readonly iv: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly tag: Uint8Array;
}

/** A content encryption key: a key that the server stores, or the key of one message. */
export type ContentKey = Pick<Key, 'encrypt' | 'decrypt'>;

/** The key of one message. @param secret `keyLength` bytes; with an HMAC its first half is the MAC key (RFC 7518 section 5.2.2.1) */
export function messageKey(enc: ContentEncryption, secret: Uint8Array): ContentKey {
  const cipher = cipherOf(enc);
  return {
    encrypt({ aad, data }) {
      const iv = randomIv(enc.ivLength);
      return { ...cipher.encrypt(secret, { iv, aad, data }), iv };
    },
    decrypt: ({ iv, aad, data, tag }) => cipher.decrypt(secret, { iv, aad, data, tag }),
  };
}

function cipherOf({ algorithm, parameters, keyLength }: ContentEncryption): Cipher {
  return algorithm === 'AES' ? cipherFor(algorithm, parameters, keyLength) : cbcHmac(parameters, keyLength);
}

const NOTHING = new Uint8Array();

/** Encrypts with a fresh random IV. */
export function seal({ algorithm, parameters }: ContentEncryption, key: ContentKey, additional: Uint8Array, plaintext: Uint8Array): Sealed | Promise<Sealed> {
  const encrypted = key.encrypt({ algorithm, parameters, aad: additional, data: plaintext });
  return andThen(encrypted, ({ data, iv = NOTHING, tag = NOTHING }) => ({ iv, ciphertext: data, tag }));
}

/** The caller must check the lengths of IV and tag. @throws Problem decryption_failed */
export async function open(
  { algorithm, parameters }: ContentEncryption,
  key: ContentKey,
  additional: Uint8Array,
  { iv, ciphertext, tag }: Sealed,
): Promise<Uint8Array> {
  try {
    return await key.decrypt({ algorithm, parameters, iv, aad: additional, data: ciphertext, tag });
  } catch (error) {
    throw refusalOf(error)?.reason === 'CryptographicFailure' ? decryptionFailed() : error;
  }
}
