// Keys as bare bytes: points and scalars (SEC 1), RFC 7748 and 8032 keys, keys of FIPS 203, 204 and 205.
import { createPrivateKey, createPublicKey, ECDH, type KeyObject } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { contentOf, DER, octets, oid, readElement, readInside, sequence, unsigned } from '../der.ts';
import type { CryptographicAlgorithm, RecommendedCurve } from '../parameters.ts';
import { curveLength, domainOf, okpType, opensslCurve } from './curve.ts';
import { keyFacts, postQuantumType } from './key-algorithm.ts';
import { fromBytes, toBytes } from './modular.ts';

type Kind = 'PrivateKey' | 'PublicKey';

/** How an uncompressed point begins (SEC 1 section 2.3.3). */
const UNCOMPRESSED = 0x04;

/** Bytes of a seed, from which FIPS 203 and 204 make the private key. */
const SEED_LENGTH = { 'ml-kem': 64, 'ml-dsa': 32 } as const;

/** Last arc of 2.16.840.1.101.3.4.4 (ML-KEM) and 2.16.840.1.101.3.4.3 (ML-DSA), from NIST's CSOR. */
const EXPANDED_OID: Readonly<Record<string, string>> = {
  'ml-kem-512': '2.16.840.1.101.3.4.4.1',
  'ml-kem-768': '2.16.840.1.101.3.4.4.2',
  'ml-kem-1024': '2.16.840.1.101.3.4.4.3',
  'ml-dsa-44': '2.16.840.1.101.3.4.3.17',
  'ml-dsa-65': '2.16.840.1.101.3.4.3.18',
  'ml-dsa-87': '2.16.840.1.101.3.4.3.19',
};

/** node:crypto's own description of a raw key; its declaration knows each type apart. */
const rawPrivate = createPrivateKey as unknown as (input: object) => KeyObject;
const rawPublic = createPublicKey as unknown as (input: object) => KeyObject;

function fromRaw(kind: Kind, bytes: Uint8Array, asymmetricKeyType: string, namedCurve?: string): KeyObject {
  const input = { key: Buffer.from(bytes), asymmetricKeyType, ...(namedCurve === undefined ? {} : { namedCurve }) };
  return kind === 'PrivateKey' ? rawPrivate({ ...input, format: 'raw-private' }) : rawPublic({ ...input, format: 'raw-public' });
}

const DEFAULT_CURVE: Partial<Record<CryptographicAlgorithm, RecommendedCurve>> = { Ed25519: 'CURVEED25519', Ed448: 'CURVEED448' };

/**
 * A key of any algorithm but RSA, DSA and DH. Private keys of ML-KEM and ML-DSA may be the seed or the whole key.
 * @throws CryptoError invalid without a curve; what node:crypto throws for impossible bytes
 */
export function importRaw(kind: Kind, bytes: Uint8Array, algorithm: CryptographicAlgorithm, curve?: RecommendedCurve): KeyObject {
  const postQuantum = postQuantumType(algorithm);
  if (postQuantum !== undefined) return kind === 'PrivateKey' ? postQuantumPrivate(bytes, postQuantum) : fromRaw(kind, bytes, postQuantum);
  const on = curve ?? DEFAULT_CURVE[algorithm];
  if (on === undefined) throw new CryptoError('invalid', `KeyMaterial: a raw key of ${algorithm} needs a RecommendedCurve`);
  const type = okpType(on);
  if (type !== undefined) return fromRaw(kind, bytes, type);
  return fromRaw(kind, kind === 'PrivateKey' ? scalar(fromBytes(bytes), on) : bytes, 'ec', opensslCurve(on));
}

/** The scalar at the length that OpenSSL wants. */
function scalar(value: bigint, curve: RecommendedCurve): Buffer {
  const { order } = domainOf(curve);
  if (value <= 0n || value >= order) throw new CryptoError('invalid', 'KeyMaterial: the private value must be positive and less than the order of the curve');
  return toBytes(value, Math.ceil(order.toString(2).length / 8));
}

/** A private key by its number, as transparent structures have it: of RFC 7748 and 8032 keys, their bytes read as a number. */
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

/** The bytes of a key of any type but RSA, DSA and DH; private keys of ML-KEM and ML-DSA as FIPS 203 and 204 write them, not the seed. */
export function exportRaw(key: KeyObject): Buffer {
  if (key.type === 'public')
    return key.asymmetricKeyType === 'ec' ? uncompress(key.export({ format: 'raw-public' }), key) : key.export({ format: 'raw-public' });
  return postQuantumType(keyFacts(key).algorithm) !== undefined && !String(key.asymmetricKeyType).startsWith('slh')
    ? expandKey(key)
    : key.export({ format: 'raw-private' });
}

/** OpenSSL keeps the form in which a point came; without a word of it, it is uncompressed (KMIP 1.4 section 2.1.3). */
function uncompress(point: Buffer, key: KeyObject): Buffer {
  const { curve } = keyFacts(key);
  if (point[0] === UNCOMPRESSED || curve === undefined) return point;
  return ECDH.convertKey(point, opensslCurve(curve), undefined, undefined, 'uncompressed') as Buffer;
}

/** PKCS#8 holds the seed and the whole key, or the whole key alone (RFC 9881 section 6, RFC 9935 section 6). */
function expandKey(key: KeyObject): Buffer {
  const what = 'KeyMaterial';
  const [, , wrapped] = readInside(readElement(key.export({ format: 'der', type: 'pkcs8' }), what), DER.sequence, what);
  const choice = readElement(contentOf(wrapped, DER.octets, what), what);
  return choice.tag === DER.octets ? choice.content : contentOf(readInside(choice, DER.sequence, what)[1], DER.octets, what);
}

/** Whether a private EC key is a number below the order and its public key the one that came with it, of which OpenSSL checks neither. */
export function isConsistent(key: KeyObject): boolean {
  if (key.type !== 'private' || key.asymmetricKeyType !== 'ec') return true;
  const { curve } = keyFacts(key);
  const value = fromBytes(exportRaw(key));
  if (curve === undefined || value <= 0n || value >= domainOf(curve).order) return false;
  return createPublicKey(key).equals(createPublicKey(importScalar(value, curve)));
}
