// Imports and exports keys as raw bytes: points and scalars (SEC 1), keys of RFC 7748 and RFC 8032, keys of FIPS 203, 204 and 205.
import { createPrivateKey, createPublicKey, ECDH, type KeyObject } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { contentOf, DER, octets, oid, readElement, readInside, sequence, unsigned } from '../der.ts';
import type { CryptographicAlgorithm, RecommendedCurve } from '../parameters.ts';
import { curveLength, domainOf, okpType, opensslCurve } from './curve.ts';
import { keyFacts, postQuantumType } from './key-algorithm.ts';
import { fromBytes, toBytes } from './modular.ts';
import { readPublicKey } from './read-public-key.ts';
import { isSameKey } from './same-key.ts';

type Kind = 'PrivateKey' | 'PublicKey';

/** The first byte of an uncompressed point (SEC 1 section 2.3.3). */
const UNCOMPRESSED = 0x04;

/** The length in bytes of a seed, from which FIPS 203 and 204 generate the private key. */
const SEED_LENGTH = { 'ml-kem': 64, 'ml-dsa': 32 } as const;

/** Object identifiers below 2.16.840.1.101.3.4.4 (ML-KEM) and 2.16.840.1.101.3.4.3 (ML-DSA), from NIST's CSOR. */
const EXPANDED_OID: Readonly<Record<string, string>> = {
  'ml-kem-512': '2.16.840.1.101.3.4.4.1',
  'ml-kem-768': '2.16.840.1.101.3.4.4.2',
  'ml-kem-1024': '2.16.840.1.101.3.4.4.3',
  'ml-dsa-44': '2.16.840.1.101.3.4.3.17',
  'ml-dsa-65': '2.16.840.1.101.3.4.3.18',
  'ml-dsa-87': '2.16.840.1.101.3.4.3.19',
};

/** A cast, because the declaration of node:crypto does not allow a generic key type for raw keys. */
const rawPrivate = createPrivateKey as unknown as (input: object) => KeyObject;

function fromRaw(kind: Kind, bytes: Uint8Array, asymmetricKeyType: string, namedCurve?: string): KeyObject {
  const input = { key: Buffer.from(bytes), asymmetricKeyType, ...(namedCurve === undefined ? {} : { namedCurve }) };
  return kind === 'PrivateKey' ? rawPrivate({ ...input, format: 'raw-private' }) : readPublicKey({ ...input, format: 'raw-public' });
}

const ON_CURVES: readonly CryptographicAlgorithm[] = ['EC', 'ECDSA', 'ECDH', 'ECMQV', 'Ed25519', 'Ed448'];
const DEFAULT_CURVE: Partial<Record<CryptographicAlgorithm, RecommendedCurve>> = { Ed25519: 'CURVEED25519', Ed448: 'CURVEED448' };

/**
 * Imports a key of any algorithm except RSA, DSA and DH. A private key of ML-KEM or ML-DSA may be the seed or the whole key.
 * @throws CryptoError invalid if the curve is missing, or the algorithm is one of secret keys; errors of node:crypto for impossible bytes
 */
export function importRaw(kind: Kind, bytes: Uint8Array, algorithm: CryptographicAlgorithm, curve?: RecommendedCurve): KeyObject {
  const postQuantum = postQuantumType(algorithm);
  if (postQuantum !== undefined) return kind === 'PrivateKey' ? postQuantumPrivate(bytes, postQuantum) : fromRaw(kind, bytes, postQuantum);
  if (!ON_CURVES.includes(algorithm))
    throw new CryptoError('invalid', `KeyMaterial: ${algorithm} has no raw ${kind === 'PrivateKey' ? 'private' : 'public'} keys`);
  const on = curve ?? DEFAULT_CURVE[algorithm];
  if (on === undefined) throw new CryptoError('invalid', `KeyMaterial: a raw key of ${algorithm} needs a RecommendedCurve`);
  const type = okpType(on);
  if (type !== undefined) return fromRaw(kind, bytes, type);
  // One byte, which is zero (SEC 1 section 2.3.3). OpenSSL reads and writes it in this form.
  if (kind === 'PublicKey' && bytes.length === 1) throw new CryptoError('invalid', 'KeyMaterial: the point at infinity is no public key');
  return fromRaw(kind, kind === 'PrivateKey' ? scalar(fromBytes(bytes), on) : bytes, 'ec', opensslCurve(on));
}

/** The scalar, with the length that OpenSSL requires. */
function scalar(value: bigint, curve: RecommendedCurve): Buffer {
  const { order } = domainOf(curve);
  if (value <= 0n || value >= order) throw new CryptoError('invalid', 'KeyMaterial: the private value must be positive and less than the order of the curve');
  return toBytes(value, Math.ceil(order.toString(2).length / 8));
}

/** Imports a private key as a number, as in transparent structures. For keys of RFC 7748 and RFC 8032 the number is their bytes, big-endian. */
export function importScalar(value: bigint, curve: RecommendedCurve): KeyObject {
  const type = okpType(curve);
  if (type === undefined) return fromRaw('PrivateKey', scalar(value, curve), 'ec', opensslCurve(curve));
  return fromRaw('PrivateKey', toBytes(value, type === 'ed448' ? 57 : Math.ceil(curveLength(curve) / 8)), type);
}

function postQuantumPrivate(bytes: Uint8Array, type: string): KeyObject {
  const seedLength = SEED_LENGTH[type.slice(0, 6) as keyof typeof SEED_LENGTH];
  if (seedLength === undefined) return fromRaw('PrivateKey', bytes, type);
  if (bytes.length === seedLength) return rawPrivate({ key: Buffer.from(bytes), asymmetricKeyType: type, format: 'raw-seed' });
  const key = sequence(unsigned(0n), sequence(oid(EXPANDED_OID[type] as string)), octets(octets(bytes)));
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

/** Exports a key of any type except RSA, DSA and DH. For private keys of ML-KEM and ML-DSA it returns the key of FIPS 203 and 204, not the seed. */
export function exportRaw(key: KeyObject): Buffer {
  if (key.type === 'public')
    return key.asymmetricKeyType === 'ec' ? uncompress(key.export({ format: 'raw-public' }), key) : key.export({ format: 'raw-public' });
  return postQuantumType(keyFacts(key).algorithm) !== undefined && !String(key.asymmetricKeyType).startsWith('slh')
    ? expandKey(key)
    : key.export({ format: 'raw-private' });
}

/** OpenSSL keeps the form in which a point was imported, but without a KeyCompressionType it must be uncompressed (KMIP 1.4 section 2.1.3). */
function uncompress(point: Buffer, key: KeyObject): Buffer {
  const { curve } = keyFacts(key);
  if (point[0] === UNCOMPRESSED || curve === undefined) return point;
  return ECDH.convertKey(point, opensslCurve(curve), undefined, undefined, 'uncompressed') as Buffer;
}

/** PKCS#8 contains the seed and the whole key, or only the whole key (RFC 9881 section 6, RFC 9935 section 6). */
function expandKey(key: KeyObject): Buffer {
  const what = 'KeyMaterial';
  const [, , wrapped] = readInside(readElement(key.export({ format: 'der', type: 'pkcs8' }), what), DER.sequence, what);
  const choice = readElement(contentOf(wrapped, DER.octets, what), what);
  return choice.tag === DER.octets ? choice.content : contentOf(readInside(choice, DER.sequence, what)[1], DER.octets, what);
}

/** Whether a private EC key is less than the order and matches the public key that came with it. OpenSSL checks neither. */
export function isConsistent(key: KeyObject): boolean {
  if (key.type !== 'private' || key.asymmetricKeyType !== 'ec') return true;
  const { curve } = keyFacts(key);
  const value = fromBytes(exportRaw(key));
  if (curve === undefined || value <= 0n || value >= domainOf(curve).order) return false;
  return isSameKey(createPublicKey(key), createPublicKey(importScalar(value, curve)));
}
