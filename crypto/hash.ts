// Computes hashes, with the names of KMIP's enumeration.
import { createHash, hash as digestAtOnce } from 'node:crypto';
import { digestOf } from './digest-name.ts';
import type { HashingAlgorithm } from './parameters.ts';
import { requireOn } from './switched-off.ts';

interface HashStream {
  update(data: Uint8Array): void;
  digest(): Uint8Array;
}

/** @throws CryptoError unsupported, switched_off */
export function hash(name: HashingAlgorithm, data: Uint8Array): Uint8Array {
  requireOn(name);
  return digestAtOnce(nodeHash(name), data, 'buffer');
}

/** @throws CryptoError unsupported, switched_off */
export function hashStream(name: HashingAlgorithm): HashStream {
  requireOn(name);
  const running = createHash(nodeHash(name));
  return { update: (data) => void running.update(data), digest: () => running.digest() };
}

/**
 * Returns the name for node:crypto.
 * @throws CryptoError unsupported
 */
export function nodeHash(name: HashingAlgorithm): string {
  return digestOf(name).name;
}

/** Length of the digest in bytes. */
export function hashBytes(name: HashingAlgorithm): number {
  return digestOf(name).length;
}
