// All algorithms of the crypto API by name: one row each, which says what its keys are for.
import { findContentEncryption } from './content-encryption.ts';
import { findKeyManagement } from './key-management.ts';
import type { KeyPurpose } from './key-purpose.ts';
import { findMacAlgorithm } from './mac-algorithm.ts';
import { findSignatureAlgorithm } from './signature-algorithm.ts';

/** Undefined for what is no algorithm of keys: `dir`, and names that are not offered. */
export function purposeOf(alg: string): KeyPurpose | undefined {
  const row = findContentEncryption(alg) ?? findMacAlgorithm(alg) ?? findSignatureAlgorithm(alg) ?? findKeyManagement(alg);
  return row?.purpose;
}
