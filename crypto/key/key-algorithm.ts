// Finds the algorithm, length and curve of a key object in KMIP's terms.
import type { KeyObject } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import type { CryptographicAlgorithm, RecommendedCurve } from '../parameters.ts';
import { curveLength, kmipCurve, type OkpType, okpCurve } from './curve.ts';
import { dhParts } from './discrete-log-key.ts';

/** node:crypto's names of the key types of FIPS 203, 204 and 205. */
type PostQuantumType = `ml-kem-${512 | 768 | 1024}` | `ml-dsa-${44 | 65 | 87}` | `slh-dsa-${'sha2' | 'shake'}-${128 | 192 | 256}${'s' | 'f'}`;

interface KeyFacts {
  /** EC for the curves for ECDSA and ECDH, ECDH for X25519 and X448. */
  readonly algorithm: CryptographicAlgorithm;
  /** Length in bits of the modulus, the field or, for post-quantum algorithms, the public key. */
  readonly length: number;
  readonly curve?: RecommendedCurve;
  /** An RSA key that says itself that it makes PSS signatures only (RFC 4055 section 1.2). */
  readonly isForPssOnly?: true;
}

const FIPS = /^(ML(?:KEM|DSA)_(?:512|768|1024|44|65|87)|SLHDSA_(?:SHA2|SHAKE)_(?:128|192|256)[sf])$/;

/** node:crypto's key type, such as `ml-kem-512` for MLKEM_512; undefined if the algorithm is not one of FIPS 203 to 205. */
export function postQuantumType(algorithm: CryptographicAlgorithm): PostQuantumType | undefined {
  if (!FIPS.test(algorithm)) return undefined;
  return algorithm
    .replace(/^(ML|SLH)/, '$1-')
    .replaceAll('_', '-')
    .toLowerCase() as PostQuantumType;
}

function postQuantumAlgorithm(type: string): CryptographicAlgorithm {
  const [family = '', kind = '', ...set] = type.split('-');
  return [`${family}${kind}`.toUpperCase(), ...set.map((part) => (part.startsWith('s') ? part.toUpperCase() : part))].join('_') as CryptographicAlgorithm;
}

/** The length of public keys in bytes: FIPS 203 table 3, FIPS 204 table 2, FIPS 205 table 2. */
const PUBLIC_LENGTH: Readonly<Record<string, number>> = {
  'ml-kem-512': 800,
  'ml-kem-768': 1184,
  'ml-kem-1024': 1568,
  'ml-dsa-44': 1312,
  'ml-dsa-65': 1952,
  'ml-dsa-87': 2592,
};

/** The key types of curves that have their own key types in OpenSSL. */
const OKP_TYPES: readonly string[] = ['x25519', 'x448', 'ed25519', 'ed448'] satisfies OkpType[];

/** @throws CryptoError unsupported for a curve without a KMIP name, unknown_key_type for a key of an unknown type */
export function keyFacts(key: KeyObject): KeyFacts {
  let facts = known.get(key);
  if (facts === undefined) {
    facts = factsOf(key);
    known.set(key, facts);
  }
  return facts;
}

/** Caches the facts: node:crypto asks OpenSSL each time, which takes more than half the time of a P-256 signature. */
const known = new WeakMap<KeyObject, KeyFacts>();

function factsOf(key: KeyObject): KeyFacts {
  const type = key.asymmetricKeyType as string | undefined;
  const details = key.asymmetricKeyDetails ?? {};
  if (type === 'rsa') return { algorithm: 'RSA', length: details.modulusLength ?? 0 };
  if (type === 'rsa-pss') return { algorithm: 'RSA', length: details.modulusLength ?? 0, isForPssOnly: true };
  if (type === 'dsa') return { algorithm: 'DSA', length: details.modulusLength ?? 0 };
  if (type === 'dh') return { algorithm: 'DH', length: dhParts(key).prime.toString(2).length };
  if (type === 'ec') {
    const curve = kmipCurve(details.namedCurve);
    return { algorithm: 'EC', length: curveLength(curve), curve };
  }
  if (type !== undefined && OKP_TYPES.includes(type)) {
    const curve = okpCurve(type as OkpType);
    return { algorithm: type === 'ed25519' ? 'Ed25519' : type === 'ed448' ? 'Ed448' : 'ECDH', length: curveLength(curve), curve };
  }
  if (type === undefined || !/^(ml-kem|ml-dsa|slh-dsa)-/.test(type)) throw new CryptoError('unknown_key_type', 'KeyMaterial: the type of the key is unknown');
  // Public keys of FIPS 205 are two hashes whose length is the security strength: together 32, 48 or 64 bytes.
  const length = PUBLIC_LENGTH[type] ?? Number(/\d{3}/.exec(type)?.[0]) / 4;
  return { algorithm: postQuantumAlgorithm(type), length: length * 8 };
}

const EC_FAMILY: readonly CryptographicAlgorithm[] = ['EC', 'ECDSA', 'ECDH', 'ECMQV'];

/** Whether the declared algorithm is right for a key: an EC key may also be declared as ECDSA, ECDH or ECMQV. */
export function isOfAlgorithm(facts: KeyFacts, declared: CryptographicAlgorithm): boolean {
  if (facts.algorithm === declared) return true;
  if (facts.algorithm === 'EC') return EC_FAMILY.includes(declared);
  if (facts.algorithm === 'ECDH') return declared === 'EC';
  return (facts.algorithm === 'Ed25519' || facts.algorithm === 'Ed448') && (declared === 'EC' || declared === 'ECDSA');
}
