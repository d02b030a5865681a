// Makes key pairs of every asymmetric algorithm of KMIP's enumeration that OpenSSL has.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { Refusal } from '../refusal.ts';
import { type OkpType, okpType, opensslCurve } from './curve.ts';
import { keyFacts, postQuantumType } from './key-algorithm.ts';
import type { CryptographicAlgorithm, RecommendedCurve } from './parameters.ts';

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

/** Groups of RFC 3526 by the length of their prime. */
const DH_GROUP: Readonly<Record<number, string>> = { 2048: 'modp14', 3072: 'modp15', 4096: 'modp16', 6144: 'modp17', 8192: 'modp18' };

/** Curves that a length alone stands for. */
const CURVE_OF_LENGTH: Readonly<Record<number, RecommendedCurve>> = { 192: 'P_192', 224: 'P_224', 256: 'P_256', 384: 'P_384', 521: 'P_521' };

/** Types of generateKeyPairSync that take no options; its declaration has one overload for each. */
const generatePlain = generateKeyPairSync as unknown as (type: string) => Pair;

/**
 * A new pair. Blocks while it is made: RSA some hundred milliseconds, DSA seconds.
 * Defaults: RSA, DSA and DH 2048 bits, EC the curve of the length, else P-256.
 * @throws Refusal InvalidField for a length that is too short or does not fit, UnsupportedCryptographicParameters for what OpenSSL has not
 */
export function generatePair(algorithm: CryptographicAlgorithm, options: PairOptions = {}): KeyPair {
  const pair = made(algorithm, options);
  const { length, curve } = keyFacts(pair.publicKey);
  if (options.length !== undefined && options.curve === undefined && curve !== undefined && options.length !== length)
    throw notOfLength(algorithm, options.length);
  return curve === undefined ? { ...pair, length } : { ...pair, length, curve };
}

function made(algorithm: CryptographicAlgorithm, { length, curve }: PairOptions): Pair {
  const postQuantum = postQuantumType(algorithm);
  if (postQuantum !== undefined) return generatePlain(postQuantum);
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
      throw new Refusal('UnsupportedCryptographicParameters', `key pairs of ${algorithm} are not supported`);
  }
}

const notOfLength = (algorithm: string, length: number): Refusal =>
  new Refusal('InvalidField', `CryptographicLength: there are no ${algorithm} keys of ${length} bits`);

function rsa(modulusLength: number): Pair {
  if (modulusLength < RSA_LENGTH.minimum) throw new Refusal('InvalidField', `CryptographicLength: the minimum key length of RSA is ${RSA_LENGTH.minimum} bits`);
  if (modulusLength > RSA_LENGTH.maximum || modulusLength % 8 !== 0) throw notOfLength('RSA', modulusLength);
  return generateKeyPairSync('rsa', { modulusLength });
}

/** The pairs of lengths of FIPS 186-4 section 4.2 that are still allowed. */
function dsa(modulusLength: number): Pair {
  if (modulusLength < 2048) throw new Refusal('InvalidField', 'CryptographicLength: the minimum key length of DSA is 2048 bits');
  if (modulusLength !== 2048 && modulusLength !== 3072) throw notOfLength('DSA', modulusLength);
  return generateKeyPairSync('dsa', { modulusLength, divisorLength: 256 });
}

function dh(length: number): Pair {
  const group = DH_GROUP[length];
  if (group === undefined) throw notOfLength('DH', length);
  return (generateKeyPairSync as unknown as (type: 'dh', options: { group: string }) => Pair)('dh', { group });
}

/** What keys of the curves outside ECDSA are for. */
const PURPOSE: Readonly<Record<OkpType, readonly CryptographicAlgorithm[]>> = {
  x25519: ['EC', 'ECDH'],
  x448: ['EC', 'ECDH'],
  ed25519: ['EC', 'ECDSA', 'Ed25519'],
  ed448: ['EC', 'ECDSA', 'Ed448'],
};

function onCurve(algorithm: CryptographicAlgorithm, curve: RecommendedCurve | undefined, length: number | undefined): Pair {
  if (curve === undefined) throw notOfLength(algorithm, length ?? 0);
  const type = okpType(curve);
  const fits = type === undefined ? !algorithm.startsWith('Ed') : PURPOSE[type].includes(algorithm);
  if (!fits) throw new Refusal('InvalidField', `RecommendedCurve: ${curve} is no curve of ${algorithm}`);
  return type === undefined ? generateKeyPairSync('ec', { namedCurve: opensslCurve(curve) }) : generatePlain(type);
}
