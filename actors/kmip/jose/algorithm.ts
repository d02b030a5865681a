// All algorithms of the crypto API by name; the row of an algorithm says what its keys are for.
import { findContentEncryption } from './content-encryption.ts';
import { findKeyManagement } from './key-management.ts';
import type { KeyPurpose } from './key-purpose.ts';
import { findMacAlgorithm } from './mac-algorithm.ts';
import { findSignatureAlgorithm } from './signature-algorithm.ts';

/** Undefined for `dir`, which has no keys of its own, and for names that are not offered. */
export function purposeOf(alg: string): KeyPurpose | undefined {
  const row = findContentEncryption(alg) ?? findMacAlgorithm(alg) ?? findSignatureAlgorithm(alg) ?? findKeyManagement(alg);
  return row?.purpose;
}
