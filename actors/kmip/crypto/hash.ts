// Hash functions by the names of KMIP's enumeration.
import { createHash, hash as digestOf } from 'node:crypto';
import { Refusal } from '../refusal.ts';
import type { HashingAlgorithm } from './parameters.ts';

interface Hash {
  /** OpenSSL's name. */
  readonly openssl: string;
  /** Of the digest. */
  readonly bytes: number;
}

/** MD2, MD4, Tiger and Whirlpool are missing: broken or not in OpenSSL's default provider. */
const HASH: Partial<Record<HashingAlgorithm, Hash>> = {
  MD5: { openssl: 'md5', bytes: 16 },
  SHA_1: { openssl: 'sha1', bytes: 20 },
  SHA_224: { openssl: 'sha224', bytes: 28 },
  SHA_256: { openssl: 'sha256', bytes: 32 },
  SHA_384: { openssl: 'sha384', bytes: 48 },
  SHA_512: { openssl: 'sha512', bytes: 64 },
  SHA_512_224: { openssl: 'sha512-224', bytes: 28 },
  SHA_512_256: { openssl: 'sha512-256', bytes: 32 },
  SHA3_224: { openssl: 'sha3-224', bytes: 28 },
  SHA3_256: { openssl: 'sha3-256', bytes: 32 },
  SHA3_384: { openssl: 'sha3-384', bytes: 48 },
  SHA3_512: { openssl: 'sha3-512', bytes: 64 },
  RIPEMD_160: { openssl: 'ripemd160', bytes: 20 },
};

interface HashStream {
  update(data: Uint8Array): void;
  digest(): Uint8Array;
}

/** @throws Refusal UnsupportedCryptographicParameters */
export function hash(name: HashingAlgorithm, data: Uint8Array): Uint8Array {
  return digestOf(nodeHash(name), data, 'buffer');
}

/** @throws Refusal UnsupportedCryptographicParameters */
export function hashStream(name: HashingAlgorithm): HashStream {
  const running = createHash(nodeHash(name));
  return { update: (data) => void running.update(data), digest: () => running.digest() };
}

/**
 * The name that node:crypto takes.
 * @throws Refusal UnsupportedCryptographicParameters
 */
export function nodeHash(name: HashingAlgorithm): string {
  return known(name).openssl;
}

/** Bytes of the digest. */
export function hashBytes(name: HashingAlgorithm): number {
  return known(name).bytes;
}

function known(name: HashingAlgorithm): Hash {
  const found = HASH[name];
  if (found === undefined) throw new Refusal('UnsupportedCryptographicParameters', `the hashing algorithm ${name} is not supported`);
  return found;
}
