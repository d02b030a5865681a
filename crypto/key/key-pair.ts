// Generates key pairs for every asymmetric algorithm of KMIP's enumeration that OpenSSL supports.
import { generateKeyPair, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { CryptoError } from '../crypto-error.ts';
import type { CryptographicAlgorithm, RecommendedCurve } from '../parameters.ts';
import { requireOn } from '../switched-off.ts';
import { type OkpType, okpType, opensslCurve, requireCurveLength } from './curve.ts';
import { keyFacts, postQuantumType } from './key-algorithm.ts';

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** CryptographicLength, bits. */
  readonly length: number;
  readonly curve?: RecommendedCurve;
}

export interface PairOptions {
  /** CryptographicLength, bits. */
  readonly length?: number;
  readonly curve?: RecommendedCurve;
}

type Pair = Pick<KeyPair, 'privateKey' | 'publicKey'>;

const RSA_LENGTH = { minimum: 2048, maximum: 8192 };

/** The groups of RFC 3526, by the length of their prime in bits. */
const DH_GROUP: Readonly<Record<number, string>> = { 2048: 'modp14', 3072: 'modp15', 4096: 'modp16', 6144: 'modp17', 8192: 'modp18' };

/** The curve for a request that gives only a length. */
const CURVE_OF_LENGTH: Readonly<Record<number, RecommendedCurve>> = { 192: 'P_192', 224: 'P_224', 256: 'P_256', 384: 'P_384', 521: 'P_521' };

/** Arguments of node:crypto for a pair: the type and options, if there are any. Its declaration has an overload for each type. */
type Recipe = readonly [type: string, options?: object];
const generateNow = generateKeyPairSync as unknown as (...recipe: Recipe) => Pair;
const generateInPool = promisify(generateKeyPair) as unknown as (...recipe: Recipe) => Promise<Pair>;

/**
 * Generates a new pair. This blocks the thread: hundreds of milliseconds for RSA, seconds for DSA.
 * Defaults: 2048 bits for RSA, DSA and DH; for EC the curve with the given length, or P-256.
 * @throws CryptoError invalid for a length that is too short or not possible, unsupported if OpenSSL does not support the algorithm, switched_off
 */
export function generatePair(algorithm: CryptographicAlgorithm, options: PairOptions = {}): KeyPair {
  return describePair(generateNow(...recipeOf(algorithm, options)));
}

/** Like `generatePair`, but on a thread of the pool. */
export async function generatePairInPool(algorithm: CryptographicAlgorithm, options: PairOptions = {}): Promise<KeyPair> {
  return describePair(await generateInPool(...recipeOf(algorithm, options)));
}

/** Whether it takes more than a few milliseconds to generate a pair. */
export function isSlowPair(algorithm: CryptographicAlgorithm): boolean {
  return algorithm === 'RSA' || algorithm === 'DSA' || algorithm === 'DH' || algorithm.startsWith('SLHDSA');
}

function describePair(pair: Pair): KeyPair {
  const { length, curve } = keyFacts(pair.publicKey);
  return curve === undefined ? { ...pair, length } : { ...pair, length, curve };
}

function recipeOf(algorithm: CryptographicAlgorithm, { length, curve }: PairOptions): Recipe {
  const postQuantum = postQuantumType(algorithm);
  // A pair that is good for one algorithm only is made only while that algorithm works.
  requireOn(algorithm.startsWith('SLHDSA') ? algorithm.slice(0, algorithm.lastIndexOf('_')) : algorithm);
  if (postQuantum !== undefined) return [postQuantum];
  switch (algorithm) {
    case 'RSA':
      return rsa(length ?? RSA_LENGTH.minimum);
    case 'DSA':
      return dsa(length ?? 2048);
    case 'DH':
      return dh(length ?? 2048);
    case 'EC':
    case 'ECDSA':
    case 'ECDH':
      return onCurve(algorithm, curve ?? CURVE_OF_LENGTH[length ?? 256], length);
    case 'Ed25519':
    case 'Ed448':
      return onCurve(algorithm, curve ?? (algorithm === 'Ed25519' ? 'CURVEED25519' : 'CURVEED448'), length);
    default:
      throw new CryptoError('unsupported', `key pairs of ${algorithm} are not supported`);
  }
}

const notOfLength = (algorithm: string, length: number): CryptoError =>
  new CryptoError('invalid', `CryptographicLength: there are no ${algorithm} keys of ${length} bits`);

function rsa(modulusLength: number): Recipe {
  if (modulusLength < RSA_LENGTH.minimum) throw new CryptoError('invalid', `CryptographicLength: the minimum key length of RSA is ${RSA_LENGTH.minimum} bits`);
  if (modulusLength > RSA_LENGTH.maximum || modulusLength % 8 !== 0) throw notOfLength('RSA', modulusLength);
  return ['rsa', { modulusLength }];
}

/** Allows the pairs of lengths of FIPS 186-4 section 4.2 that are still considered secure. */
function dsa(modulusLength: number): Recipe {
  if (modulusLength < 2048) throw new CryptoError('invalid', 'CryptographicLength: the minimum key length of DSA is 2048 bits');
  if (modulusLength !== 2048 && modulusLength !== 3072) throw notOfLength('DSA', modulusLength);
  return ['dsa', { modulusLength, divisorLength: 256 }];
}

function dh(length: number): Recipe {
  const group = DH_GROUP[length];
  if (group === undefined) throw notOfLength('DH', length);
  return ['dh', { group }];
}

/** The algorithms for which a request may use these curves. */
const PURPOSE: Readonly<Record<OkpType, readonly CryptographicAlgorithm[]>> = {
  x25519: ['EC', 'ECDH'],
  x448: ['EC', 'ECDH'],
  ed25519: ['EC', 'ECDSA', 'Ed25519'],
  ed448: ['EC', 'ECDSA', 'Ed448'],
};

function onCurve(algorithm: CryptographicAlgorithm, curve: RecommendedCurve | undefined, length: number | undefined): Recipe {
  if (curve === undefined) throw notOfLength(algorithm, length ?? 0);
  const type = okpType(curve);
  const fits = type === undefined ? !algorithm.startsWith('Ed') : PURPOSE[type].includes(algorithm);
  if (!fits) throw new CryptoError('invalid', `RecommendedCurve: ${curve} cannot be used with ${algorithm}`);
  requireCurveLength(curve, length);
  return type === undefined ? ['ec', { namedCurve: opensslCurve(curve) }] : [type];
}
