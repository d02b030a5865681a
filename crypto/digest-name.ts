// OpenSSL's names, digest lengths and object identifiers of KMIP's hash functions (RFC 8017 appendix B.1, NIST CSOR).
import { CryptoError } from './crypto-error.ts';
import type { HashingAlgorithm } from './parameters.ts';

export interface Digest {
  /** The name for node:crypto. */
  readonly name: string;
  /** In bytes. */
  readonly length: number;
  /** The object identifier of the hash function, for a DigestInfo. */
  readonly oid: string;
}

const NIST = '2.16.840.1.101.3.4.2';

/** Without MD2, MD4, Tiger and Whirlpool, which are broken or not in OpenSSL's default provider. */
const DIGEST: Partial<Record<HashingAlgorithm, Digest>> = {
  MD5: { name: 'md5', length: 16, oid: '1.2.840.113549.2.5' },
  SHA_1: { name: 'sha1', length: 20, oid: '1.3.14.3.2.26' },
  SHA_224: { name: 'sha224', length: 28, oid: `${NIST}.4` },
  SHA_256: { name: 'sha256', length: 32, oid: `${NIST}.1` },
  SHA_384: { name: 'sha384', length: 48, oid: `${NIST}.2` },
  SHA_512: { name: 'sha512', length: 64, oid: `${NIST}.3` },
  SHA_512_224: { name: 'sha512-224', length: 28, oid: `${NIST}.5` },
  SHA_512_256: { name: 'sha512-256', length: 32, oid: `${NIST}.6` },
  SHA3_224: { name: 'sha3-224', length: 28, oid: `${NIST}.7` },
  SHA3_256: { name: 'sha3-256', length: 32, oid: `${NIST}.8` },
  SHA3_384: { name: 'sha3-384', length: 48, oid: `${NIST}.9` },
  SHA3_512: { name: 'sha3-512', length: 64, oid: `${NIST}.10` },
  RIPEMD_160: { name: 'ripemd160', length: 20, oid: '1.3.36.3.2.1' },
};

/** @throws CryptoError unsupported for a hash that OpenSSL does not have */
export function digestOf(algorithm: HashingAlgorithm): Digest {
  const digest = DIGEST[algorithm];
  if (digest === undefined) throw new CryptoError('unsupported', `the hashing algorithm ${algorithm} is not supported`);
  return digest;
}

const NAMED = new Map(Object.entries(DIGEST).map(([algorithm, { name }]) => [name, algorithm as HashingAlgorithm]));

/** @param name as node:crypto gives it @throws CryptoError unsupported for any other hash */
export function hashNamed(name: string): HashingAlgorithm {
  const algorithm = NAMED.get(name);
  if (algorithm === undefined) throw new CryptoError('unsupported', `the hashing algorithm ${name} is not supported`);
  return algorithm;
}

const BY_OID = new Map(Object.entries(DIGEST).map(([algorithm, { oid }]) => [oid, algorithm as HashingAlgorithm]));

/** @returns undefined for any other hash */
export const hashOfOid = (oid: string): HashingAlgorithm | undefined => BY_OID.get(oid);
