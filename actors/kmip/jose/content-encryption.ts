// Content encryption of JWE: AES-GCM and AES-CBC with HMAC (RFC 7518 section 5).
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { randomIv } from '../../../crypto/random.ts';
import { contentPurpose, type KeyPurpose } from './key-purpose.ts';
import { decryptionFailed } from './problem.ts';
import { type Place, refused } from './registered.ts';

export interface ContentEncryption {
  readonly name: string;
  /** Bytes. */
  readonly keyLength: number;
  /** Bytes. */
  readonly ivLength: number;
  /** Bytes. */
  readonly tagLength: number;
  readonly cipher: 'aes-128-gcm' | 'aes-192-gcm' | 'aes-256-gcm' | 'aes-128-cbc' | 'aes-192-cbc' | 'aes-256-cbc';
  /** Hash of the HMAC; absent for GCM. */
  readonly hash?: 'sha256' | 'sha384' | 'sha512';
  /** Of its keys. */
  readonly purpose: KeyPurpose;
}

export interface Sealed {
  readonly iv: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly tag: Uint8Array;
}

const ENCRYPTIONS: ReadonlyMap<string, ContentEncryption> = new Map(
  (
    [
      { name: 'A128GCM', keyLength: 16, ivLength: 12, tagLength: 16, cipher: 'aes-128-gcm', purpose: contentPurpose() },
      { name: 'A192GCM', keyLength: 24, ivLength: 12, tagLength: 16, cipher: 'aes-192-gcm', purpose: contentPurpose() },
      { name: 'A256GCM', keyLength: 32, ivLength: 12, tagLength: 16, cipher: 'aes-256-gcm', purpose: contentPurpose() },
      { name: 'A128CBC-HS256', keyLength: 32, ivLength: 16, tagLength: 16, cipher: 'aes-128-cbc', hash: 'sha256', purpose: contentPurpose('sha256') },
      { name: 'A192CBC-HS384', keyLength: 48, ivLength: 16, tagLength: 24, cipher: 'aes-192-cbc', hash: 'sha384', purpose: contentPurpose('sha384') },
      { name: 'A256CBC-HS512', keyLength: 64, ivLength: 16, tagLength: 32, cipher: 'aes-256-cbc', hash: 'sha512', purpose: contentPurpose('sha512') },
    ] satisfies ContentEncryption[]
  ).map((each) => [each.name, each]),
);

export function findContentEncryption(name: string): ContentEncryption | undefined {
  return ENCRYPTIONS.get(name);
}

/** @throws Problem bad_request or unsupported_algorithm */
export function contentEncryption(name: string, place: Place): ContentEncryption {
  const found = ENCRYPTIONS.get(name);
  if (!found) throw refused('enc', name, place);
  return found;
}

/** A content encryption key as key objects, which OpenSSL takes in a fifth of the time that bytes need. */
export interface ContentKey {
  readonly cipher: KeyObject;
  /** Absent for GCM. */
  readonly mac: KeyObject | undefined;
}

/** @param key `keyLength` bytes; with an HMAC its first half is the MAC key (RFC 7518 section 5.2.2.1) */
export function contentKey({ hash }: ContentEncryption, key: Uint8Array): ContentKey {
  if (hash === undefined) return { cipher: createSecretKey(key), mac: undefined };
  const half = key.length / 2;
  return { cipher: createSecretKey(key.subarray(half)), mac: createSecretKey(key.subarray(0, half)) };
}

type GcmCipher = 'aes-128-gcm' | 'aes-192-gcm' | 'aes-256-gcm';

/** Encrypts under a fresh random IV. */
export function seal(enc: ContentEncryption, key: ContentKey, additional: Uint8Array, plaintext: Uint8Array): Sealed {
  const iv = randomIv(enc.ivLength);
  if (!key.mac) {
    const cipher = createCipheriv(enc.cipher as GcmCipher, key.cipher, iv);
    cipher.setAAD(additional);
    const ciphertext = cipher.update(plaintext);
    cipher.final();
    return { iv, ciphertext, tag: cipher.getAuthTag() };
  }
  const cipher = createCipheriv(enc.cipher, key.cipher, iv);
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return { iv, ciphertext, tag: hmacTag(enc, key.mac, additional, iv, ciphertext) };
}

/** @throws Problem decryption_failed; the lengths of IV and tag are the caller's to check */
export function open(enc: ContentEncryption, key: ContentKey, additional: Uint8Array, { iv, ciphertext, tag }: Sealed): Buffer {
  if (key.mac && !timingSafeEqual(tag, hmacTag(enc, key.mac, additional, iv, ciphertext))) throw decryptionFailed();
  try {
    if (!key.mac) {
      const decipher = createDecipheriv(enc.cipher as GcmCipher, key.cipher, iv, { authTagLength: enc.tagLength });
      decipher.setAAD(additional);
      decipher.setAuthTag(tag);
      const plaintext = decipher.update(ciphertext);
      decipher.final();
      return plaintext;
    }
    const decipher = createDecipheriv(enc.cipher, key.cipher, iv);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  } catch {
    throw decryptionFailed();
  }
}

/** The first half of the MAC is the tag. */
function hmacTag({ hash = 'sha256', tagLength }: ContentEncryption, key: KeyObject, additional: Uint8Array, iv: Uint8Array, ciphertext: Uint8Array): Buffer {
  const bits = Buffer.alloc(8);
  bits.writeBigUInt64BE(BigInt(additional.length) * 8n);
  return createHmac(hash, key).update(additional).update(iv).update(ciphertext).update(bits).digest().subarray(0, tagLength);
}
