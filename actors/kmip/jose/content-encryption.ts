// Content encryption of JWE: AES-GCM and AES-CBC with HMAC (RFC 7518 section 5).
import { cbcHmac } from '../../../crypto/cipher/cbc-hmac.ts';
import { type Cipher, cipherFor } from '../../../crypto/cipher/cipher.ts';
import type { CryptographicParameters } from '../../../crypto/parameters.ts';
import { randomIv } from '../../../crypto/random.ts';
import { refusalOf } from '../../../kmip/crypto-refusal.ts';
import type { Key } from '../object/key.ts';
import { contentPurpose, type KeyPurpose } from './key-purpose.ts';
import { decryptionFailed } from './problem.ts';
import { type Place, refuse } from './registered.ts';

export interface ContentEncryption {
  readonly name: string;
  /** In bytes. */
  readonly keyLength: number;
  /** In bytes. */
  readonly ivLength: number;
  /** In bytes. */
  readonly tagLength: number;
  /** The cipher algorithm of the keys. */
  readonly algorithm: 'AES' | 'AES_CBC_HMAC';
  readonly parameters: CryptographicParameters;
  /** Hash of the HMAC; absent for GCM. */
  readonly hash?: 'sha256' | 'sha384' | 'sha512';
  /** The purpose of the keys. */
  readonly purpose: KeyPurpose;
}

export interface Sealed {
  readonly iv: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly tag: Uint8Array;
}

const GCM = { ivLength: 12, tagLength: 16, algorithm: 'AES', parameters: { blockCipherMode: 'GCM' } } as const;
const CBC = { ivLength: 16, algorithm: 'AES_CBC_HMAC' } as const;

const ENCRYPTIONS: ReadonlyMap<string, ContentEncryption> = new Map(
  (
    [
      { name: 'A128GCM', keyLength: 16, ...GCM, purpose: contentPurpose() },
      { name: 'A192GCM', keyLength: 24, ...GCM, purpose: contentPurpose() },
      { name: 'A256GCM', keyLength: 32, ...GCM, purpose: contentPurpose() },
      {
        name: 'A128CBC-HS256',
        keyLength: 32,
        tagLength: 16,
        ...CBC,
        parameters: { hashingAlgorithm: 'SHA_256' },
        hash: 'sha256',
        purpose: contentPurpose('sha256'),
      },
      {
        name: 'A192CBC-HS384',
        keyLength: 48,
        tagLength: 24,
        ...CBC,
        parameters: { hashingAlgorithm: 'SHA_384' },
        hash: 'sha384',
        purpose: contentPurpose('sha384'),
      },
      {
        name: 'A256CBC-HS512',
        keyLength: 64,
        tagLength: 32,
        ...CBC,
        parameters: { hashingAlgorithm: 'SHA_512' },
        hash: 'sha512',
        purpose: contentPurpose('sha512'),
      },
    ] satisfies ContentEncryption[]
  ).map((each) => [each.name, each]),
);

export function findContentEncryption(name: string): ContentEncryption | undefined {
  return ENCRYPTIONS.get(name);
}

/** @throws Problem bad_request or unsupported_algorithm */
export function contentEncryption(name: string, place: Place): ContentEncryption {
  const found = ENCRYPTIONS.get(name);
  if (!found) throw refuse('enc', name, place);
  return found;
}

/** A content encryption key: a key that the server stores, or the key of one message. */
export type ContentKey = Pick<Key, 'encrypt' | 'decrypt'>;

/** The key of one message. @param secret `keyLength` bytes; with an HMAC its first half is the MAC key (RFC 7518 section 5.2.2.1) */
export function messageKey(enc: ContentEncryption, secret: Uint8Array): ContentKey {
  const cipher = cipherOf(enc);
  return {
    async encrypt({ aad, data }) {
      const iv = randomIv(enc.ivLength);
      return { ...cipher.encrypt(secret, { iv, aad, data }), iv };
    },
    decrypt: async ({ iv, aad, data, tag }) => cipher.decrypt(secret, { iv, aad, data, tag }),
  };
}

function cipherOf({ algorithm, parameters, keyLength }: ContentEncryption): Cipher {
  return algorithm === 'AES' ? cipherFor(algorithm, parameters, keyLength) : cbcHmac(parameters, keyLength);
}

const NOTHING = new Uint8Array();

/** Encrypts with a fresh random IV. */
export async function seal({ algorithm, parameters }: ContentEncryption, key: ContentKey, additional: Uint8Array, plaintext: Uint8Array): Promise<Sealed> {
  const { data, iv = NOTHING, tag = NOTHING } = await key.encrypt({ algorithm, parameters, aad: additional, data: plaintext });
  return { iv, ciphertext: data, tag };
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
