// Digital signatures of JWS, by algorithm name (RFC 7518 section 3, RFC 8037, RFC 8812, RFC 9864, FIPS 204 for ML-DSA).
import type { CryptographicAlgorithm } from '../crypto/parameters.ts';
import { hashSigning, type KeyPurpose, SIGNING } from './key-purpose.ts';
import type { KeyType } from './key-type.ts';
import { type AlgorithmRow, byName } from './row.ts';

type Hash = 'sha256' | 'sha384' | 'sha512';

export interface SignatureAlgorithm extends AlgorithmRow {
  readonly kty: readonly [KeyType];
  readonly scheme: 'PKCS1' | 'PSS' | 'ECDSA' | 'EdDSA' | 'ML-DSA';
  /** Absent if the algorithm does the hashing itself. */
  readonly hash?: Hash;
  /** The `crv` of its keys; absent for keys without a curve. */
  readonly curves?: readonly string[];
  /** ML-DSA alone: the KMIP algorithm of its keys, and the length of a public key in bytes (FIPS 204 table 2). */
  readonly mlDsa?: { readonly algorithm: CryptographicAlgorithm; readonly publicKeyLength: number };
  readonly purpose: KeyPurpose;
}

function rsa(name: string, scheme: 'PKCS1' | 'PSS', hash: Hash): SignatureAlgorithm {
  return { name, kty: ['RSA'], scheme, hash, purpose: hashSigning(scheme, hash) };
}

function ecdsa(name: string, curve: string, hash: Hash): SignatureAlgorithm {
  return { name, kty: ['EC'], scheme: 'ECDSA', hash, curves: [curve], purpose: hashSigning('ECDSA', hash) };
}

function edDsa(name: string, ...curves: string[]): SignatureAlgorithm {
  return { name, kty: ['OKP'], scheme: 'EdDSA', curves, purpose: SIGNING };
}

function mlDsa(name: string, algorithm: CryptographicAlgorithm, publicKeyLength: number): SignatureAlgorithm {
  return { name, kty: ['AKP'], scheme: 'ML-DSA', mlDsa: { algorithm, publicKeyLength }, purpose: SIGNING };
}

export const SIGNATURE_ALGORITHMS: readonly SignatureAlgorithm[] = [
  rsa('RS256', 'PKCS1', 'sha256'),
  rsa('RS384', 'PKCS1', 'sha384'),
  rsa('RS512', 'PKCS1', 'sha512'),
  rsa('PS256', 'PSS', 'sha256'),
  rsa('PS384', 'PSS', 'sha384'),
  rsa('PS512', 'PSS', 'sha512'),
  ecdsa('ES256', 'P-256', 'sha256'),
  ecdsa('ES384', 'P-384', 'sha384'),
  ecdsa('ES512', 'P-521', 'sha512'),
  ecdsa('ES256K', 'secp256k1', 'sha256'),
  edDsa('EdDSA', 'Ed25519', 'Ed448'),
  edDsa('Ed25519', 'Ed25519'),
  edDsa('Ed448', 'Ed448'),
  mlDsa('ML-DSA-44', 'MLDSA_44', 1312),
  mlDsa('ML-DSA-65', 'MLDSA_65', 1952),
  mlDsa('ML-DSA-87', 'MLDSA_87', 2592),
];

/** Bytes of the seed of ML-DSA, which is the whole private key. */
export const ML_DSA_SEED_LENGTH = 32;

export const findSignatureAlgorithm = byName(SIGNATURE_ALGORITHMS);
