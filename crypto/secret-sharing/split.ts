// Split keys by the methods of KMIP 2.1 section 13.1: XOR, and Shamir's polynomials over three kinds of fields.
import { checkPrimeSync, generatePrimeSync, randomBytes } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { type Field, GF_2_8, GF_2_16, primeField } from './field.ts';
import { sharePoints, sumWeighted, weights } from './shamir.ts';

/** Of KMIP's enumeration of that name. */
export type SplitKeyMethod = 'XOR' | 'PolynomialSharingGF216' | 'PolynomialSharingPrimeField' | 'PolynomialSharingGF28';

export interface Share {
  /** KeyPartIdentifier: 1 to SplitKeyParts. */
  readonly identifier: number;
  readonly material: Uint8Array;
}

export interface SplitKey {
  readonly parts: readonly Share[];
  /** PrimeFieldSize, of the method that has one. */
  readonly primeField?: bigint;
}

const MAX_PARTS = 255;
/** Of the prime, with room for keys of 256 bytes: longer ones take seconds to check. */
const MAX_PRIME_BYTES = 264;
/** Of a secret for which a prime is made: longer ones take seconds to find. */
const MAX_MADE_BYTES = 128;
/** Limit of the cost of a request: bytes times parts times threshold. */
const MAX_WORK = 2 ** 22;

/**
 * @param threshold parts that are needed; all of them for XOR
 * @param prime of the prime field, greater than any secret as long as this one; made when absent
 * @throws CryptoError invalid
 */
export function split(method: SplitKeyMethod, secret: Uint8Array, parts: number, threshold: number, prime?: bigint): SplitKey {
  if (!Number.isInteger(parts) || parts < 2 || parts > MAX_PARTS) throw invalid(`a key can be split into 2 to ${MAX_PARTS} parts`);
  if (!Number.isInteger(threshold) || threshold < 2 || threshold > parts) throw invalid('the threshold must be at least 2 and at most the number of parts');
  if (secret.length === 0) throw invalid('the key to split must not be empty');
  checkWork(secret.length, parts, threshold);
  switch (method) {
    case 'XOR':
      if (threshold !== parts) throw invalid('with XOR the threshold must equal the number of parts');
      return { parts: numberParts(xorParts(secret, parts)) };
    case 'PolynomialSharingGF28':
      return { parts: numberParts(splitPieces(GF_2_8, secret, 1, parts, threshold)) };
    case 'PolynomialSharingGF216':
      return { parts: numberParts(splitPieces(GF_2_16, secret, 2, parts, threshold)) };
    default: {
      const field = checkedPrime(secret.length, prime);
      const shares = sharePoints(primeField(field), toInteger(secret), parts, threshold);
      return { parts: numberParts(shares.map((share) => toBytes(share, byteLength(field)))), primeField: field };
    }
  }
}

/**
 * The secret of at least `threshold` parts; with more of them the others must agree.
 * @param prime PrimeFieldSize of the method that has one
 * @param bytes of the secret; by default as many as any secret of the prime field can have, or those of a part
 * @throws CryptoError invalid; failed for too few parts, or those that do not belong together
 */
export function join(method: SplitKeyMethod, parts: readonly Share[], threshold: number, prime?: bigint, bytes?: number): Uint8Array {
  checkParts(parts, threshold);
  switch (method) {
    case 'XOR':
      if (parts.length !== threshold) throw tooFew(threshold, parts.length);
      return parts.map((part) => part.material).reduce(xorBytes);
    case 'PolynomialSharingGF28':
      return joinPieces(GF_2_8, parts, 1, threshold);
    case 'PolynomialSharingGF216':
      return joinPieces(GF_2_16, parts, 2, threshold);
    default:
      return joinIntegers(parts, threshold, prime, bytes);
  }
}

function checkParts(parts: readonly Share[], threshold: number): void {
  const length = parts[0]?.material.length ?? 0;
  if (threshold < 1 || parts.length < threshold || length === 0) throw tooFew(threshold, parts.length);
  if (parts.some((part) => part.material.length !== length)) throw notTogether();
  if (parts.some(({ identifier }) => !Number.isInteger(identifier) || identifier < 1 || identifier > MAX_PARTS))
    throw invalid('a KeyPartIdentifier is out of range');
  if (new Set(parts.map((part) => part.identifier)).size !== parts.length) throw invalid('each part must be given only once');
  checkWork(length, parts.length, threshold);
}

function checkWork(bytes: number, parts: number, threshold: number): void {
  if (bytes * parts * threshold > MAX_WORK) throw invalid(`a key of ${bytes} bytes is too long for ${parts} parts of which ${threshold} are needed`);
}

function xorParts(secret: Uint8Array, parts: number): Uint8Array[] {
  const random = Array.from({ length: parts - 1 }, () => randomBytes(secret.length) as Uint8Array);
  return [...random, random.reduce(xorBytes, secret)];
}

function xorBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, i) => byte ^ (b[i] ?? 0));
}

/** Pieces of `size` bytes; each piece is shared separately. */
function splitPieces(field: Field<number>, secret: Uint8Array, size: 1 | 2, parts: number, threshold: number): Uint8Array[] {
  const out = Array.from({ length: parts }, () => Buffer.alloc(secret.length));
  cutPieces(secret, size).forEach((piece, i) => {
    const shares = sharePoints(field, piece, parts, threshold);
    out.forEach((part, j) => void part.writeUIntBE(shares[j] ?? 0, i * size, size));
  });
  return out;
}

function joinPieces(field: Field<number>, parts: readonly Share[], size: 1 | 2, threshold: number): Uint8Array {
  const value = interpolation(field, parts, threshold);
  const columns = parts.map(({ material }) => cutPieces(material, size));
  const out = Buffer.alloc(parts[0]?.material.length ?? 0);
  for (let i = 0; i < out.length / size; i++) out.writeUIntBE(value(columns.map((column) => column[i] ?? 0)), i * size, size);
  return out;
}

function joinIntegers(parts: readonly Share[], threshold: number, prime: bigint | undefined, bytes: number | undefined): Uint8Array {
  if (prime === undefined) throw invalid('PrimeFieldSize is missing');
  if (prime < 2n || byteLength(prime) > MAX_PRIME_BYTES) throw invalid('PrimeFieldSize is out of range');
  const values = parts.map((part) => toInteger(part.material));
  if (values.some((value) => value >= prime)) throw notTogether();
  const secret = interpolation(primeField(prime), parts, threshold)(values);
  const length = bytes ?? Math.floor((prime.toString(2).length - 1) / 8);
  if (secret >> BigInt(length * 8) > 0n) throw notTogether();
  return toBytes(secret, length);
}

/** The value at 0 by the first `threshold` parts, for values in the order of the parts; the rest must lie on the same polynomial. */
function interpolation<T>(field: Field<T>, parts: readonly Share[], threshold: number): (values: readonly T[]) => T {
  const needed = parts.slice(0, threshold).map((part) => part.identifier);
  const secret = weights(field, needed, 0);
  const checks = parts.slice(threshold).map((part) => weights(field, needed, part.identifier));
  return (values) => {
    if (checks.some((check, i) => sumWeighted(field, check, values) !== values[threshold + i])) throw notTogether();
    return sumWeighted(field, secret, values);
  };
}

function cutPieces(bytes: Uint8Array, size: 1 | 2): number[] {
  if (bytes.length % size !== 0) throw invalid('in GF(2^16) the length of the key must be a multiple of 16 bits');
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: bytes.length / size }, (_, i) => buffer.readUIntBE(i * size, size));
}

function checkedPrime(secretBytes: number, prime: bigint | undefined): bigint {
  const bits = secretBytes * 8;
  if (prime === undefined) {
    if (secretBytes > MAX_MADE_BYTES) throw invalid(`for a key of more than ${MAX_MADE_BYTES} bytes the prime field size must be given`);
    return generatePrimeSync(bits + 1, { bigint: true });
  }
  if (prime <= 1n << BigInt(bits)) throw invalid(`the prime field size must be greater than 2^${bits}`);
  if (byteLength(prime) > MAX_PRIME_BYTES || !checkPrimeSync(prime)) throw invalid(`the prime field size must be a prime of at most ${MAX_PRIME_BYTES} bytes`);
  return prime;
}

function numberParts(materials: readonly Uint8Array[]): Share[] {
  return materials.map((material, i) => ({ identifier: i + 1, material }));
}

function toInteger(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

function byteLength(value: bigint): number {
  return Math.ceil(value.toString(16).length / 2);
}

function toBytes(value: bigint, length: number): Uint8Array {
  return Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex');
}

/** Table 318 of KMIP 1.2. */
function tooFew(needed: number, given: number): CryptoError {
  return new CryptoError('failed', `${needed} parts are needed, but ${given} were given`);
}

function notTogether(): CryptoError {
  return new CryptoError('failed', 'the parts do not belong together');
}

function invalid(message: string): CryptoError {
  return new CryptoError('invalid', message);
}
