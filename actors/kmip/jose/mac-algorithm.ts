// The message authentication codes of JWS by name (RFC 7518 section 3.2), with the KMIP names of their keys.
import { type KeyPurpose, macPurpose } from './key-purpose.ts';
import { refuse } from './registered.ts';

export interface MacAlgorithm {
  readonly name: string;
  readonly hash: 'sha256' | 'sha384' | 'sha512';
  /** CryptographicAlgorithm of the key. */
  readonly algorithm: 'HMAC_SHA256' | 'HMAC_SHA384' | 'HMAC_SHA512';
  /** Bytes of the hash, which is also the length of the shortest key. */
  readonly length: number;
  /** The purpose of the keys. */
  readonly purpose: KeyPurpose;
}

const ALGORITHMS: ReadonlyMap<string, MacAlgorithm> = new Map(
  (
    [
      { name: 'HS256', hash: 'sha256', algorithm: 'HMAC_SHA256', length: 32, purpose: macPurpose('sha256') },
      { name: 'HS384', hash: 'sha384', algorithm: 'HMAC_SHA384', length: 48, purpose: macPurpose('sha384') },
      { name: 'HS512', hash: 'sha512', algorithm: 'HMAC_SHA512', length: 64, purpose: macPurpose('sha512') },
    ] satisfies MacAlgorithm[]
  ).map((each) => [each.name, each]),
);

export function findMacAlgorithm(name: string): MacAlgorithm | undefined {
  return ALGORITHMS.get(name);
}

/** @throws Problem bad_request or unsupported_algorithm */
export function macAlgorithm(name: string): MacAlgorithm {
  const found = ALGORITHMS.get(name);
  if (!found) throw refuse('alg', name, 'body');
  return found;
}
