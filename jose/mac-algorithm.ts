// The message authentication codes of JWS by name (RFC 7518 section 3.2), with the KMIP names of their keys.
import { type KeyPurpose, macPurpose } from './key-purpose.ts';
import { type AlgorithmRow, byName } from './row.ts';

export interface MacAlgorithm extends AlgorithmRow {
  readonly hash: 'sha256' | 'sha384' | 'sha512';
  /** CryptographicAlgorithm of the key. */
  readonly algorithm: 'HMAC_SHA256' | 'HMAC_SHA384' | 'HMAC_SHA512';
  /** Bytes of the hash, which is also the length of the shortest key. */
  readonly length: number;
  readonly purpose: KeyPurpose;
}

export const MAC_ALGORITHMS: readonly MacAlgorithm[] = [
  { name: 'HS256', kty: ['oct'], hash: 'sha256', algorithm: 'HMAC_SHA256', length: 32, purpose: macPurpose('sha256') },
  { name: 'HS384', kty: ['oct'], hash: 'sha384', algorithm: 'HMAC_SHA384', length: 48, purpose: macPurpose('sha384') },
  { name: 'HS512', kty: ['oct'], hash: 'sha512', algorithm: 'HMAC_SHA512', length: 64, purpose: macPurpose('sha512') },
];

export const findMacAlgorithm = byName(MAC_ALGORITHMS);
