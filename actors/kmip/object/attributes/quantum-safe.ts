// The attribute QuantumSafe: a key that must withstand quantum computers needs an algorithm that does (KMIP 2.1 section 4.45).
import type { CryptographicAlgorithm } from '../../../../crypto/parameters.ts';
import type { ReadonlyAttributes } from '../../../../kmip/attribute/set.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';

/** Grover's algorithm halves the strength of a symmetric key: of 256 bits, 128 remain. */
const LEAST_SYMMETRIC_BITS = 256;

/** @param bits CryptographicLength @throws Refusal GeneralFailure, as the OASIS case QS-M-2 shows */
export function requireQuantumSafe(attributes: ReadonlyAttributes, algorithm: CryptographicAlgorithm, bits: number): void {
  if (attributes.first(TAG.QuantumSafe)?.value !== true) return;
  if (/^(MLKEM|MLDSA|SLHDSA)_/.test(algorithm)) return;
  const symmetric = !/^(RSA|DSA|DH|EC|ECDSA|ECDH|ECMQV|Ed25519|Ed448|X25519|X448)$/.test(algorithm);
  if (symmetric && bits >= LEAST_SYMMETRIC_BITS) return;
  throw new Refusal('GeneralFailure', `NOT_SAFE: ${symmetric ? `${algorithm} of ${bits} bits` : algorithm} is not safe against quantum computers`);
}
