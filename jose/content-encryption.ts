// Content encryption of JWE, by `enc`: AES-GCM, and AES-CBC with HMAC (RFC 7518 section 5).
import type { CryptographicParameters } from '../crypto/parameters.ts';
import { contentPurpose, type KeyPurpose } from './key-purpose.ts';
import { type AlgorithmRow, byName } from './row.ts';

export interface ContentEncryption extends AlgorithmRow {
  /** In bytes; with an HMAC the first half is the MAC key (RFC 7518 section 5.2.2.1). */
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
  readonly purpose: KeyPurpose;
}

function gcm(name: string, keyLength: number): ContentEncryption {
  return { name, kty: ['oct'], keyLength, ivLength: 12, tagLength: 16, algorithm: 'AES', parameters: { blockCipherMode: 'GCM' }, purpose: contentPurpose() };
}

/** The tag is the first half of the hash (RFC 7518 section 5.2.2.1). */
function cbcHmac(
  name: string,
  keyLength: number,
  hash: 'sha256' | 'sha384' | 'sha512',
  hashingAlgorithm: 'SHA_256' | 'SHA_384' | 'SHA_512',
): ContentEncryption {
  const lengths = { keyLength, ivLength: 16, tagLength: keyLength / 2 };
  return { name, kty: ['oct'], ...lengths, algorithm: 'AES_CBC_HMAC', parameters: { hashingAlgorithm }, hash, purpose: contentPurpose(hash) };
}

export const CONTENT_ENCRYPTIONS: readonly ContentEncryption[] = [
  gcm('A128GCM', 16),
  gcm('A192GCM', 24),
  gcm('A256GCM', 32),
  cbcHmac('A128CBC-HS256', 32, 'sha256', 'SHA_256'),
  cbcHmac('A192CBC-HS384', 48, 'sha384', 'SHA_384'),
  cbcHmac('A256CBC-HS512', 64, 'sha512', 'SHA_512'),
];

export const findContentEncryption = byName(CONTENT_ENCRYPTIONS);
