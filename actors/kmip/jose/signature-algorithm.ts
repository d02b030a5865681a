// Digital signatures of JWS, by algorithm name (RFC 7518 section 3, RFC 8037, RFC 8812, RFC 9864, FIPS 204 for ML-DSA).
import type { CryptographicParameters } from '../../../crypto/parameters.ts';
import { refusalOf } from '../../../kmip/crypto-refusal.ts';
import type { Key, KeyFacts, Signing } from '../object/key.ts';
import { isLongRsa } from './fitting-key.ts';
import { curveName } from './jwk.ts';
import { hashSigning, type KeyPurpose, SIGNING } from './key-purpose.ts';
import { type Place, refuse } from './registered.ts';

export interface SignatureAlgorithm {
  readonly name: string;
  readonly scheme: 'PKCS1' | 'PSS' | 'ECDSA' | 'EdDSA' | 'ML-DSA';
  /** Absent if the algorithm does the hashing itself. */
  readonly hash?: 'sha256' | 'sha384' | 'sha512';
  /** The `crv` of the keys that fit, or for ML-DSA their algorithm; absent for RSA. */
  readonly keys?: readonly string[];
  /** The purpose of the keys. */
  readonly purpose: KeyPurpose;
}

const ALGORITHMS: ReadonlyMap<string, SignatureAlgorithm> = new Map(
  (
    [
      { name: 'RS256', scheme: 'PKCS1', hash: 'sha256', purpose: hashSigning('PKCS1', 'sha256') },
      { name: 'RS384', scheme: 'PKCS1', hash: 'sha384', purpose: hashSigning('PKCS1', 'sha384') },
      { name: 'RS512', scheme: 'PKCS1', hash: 'sha512', purpose: hashSigning('PKCS1', 'sha512') },
      { name: 'PS256', scheme: 'PSS', hash: 'sha256', purpose: hashSigning('PSS', 'sha256') },
      { name: 'PS384', scheme: 'PSS', hash: 'sha384', purpose: hashSigning('PSS', 'sha384') },
      { name: 'PS512', scheme: 'PSS', hash: 'sha512', purpose: hashSigning('PSS', 'sha512') },
      { name: 'ES256', scheme: 'ECDSA', hash: 'sha256', keys: ['P-256'], purpose: hashSigning('ECDSA', 'sha256') },
      { name: 'ES384', scheme: 'ECDSA', hash: 'sha384', keys: ['P-384'], purpose: hashSigning('ECDSA', 'sha384') },
      { name: 'ES512', scheme: 'ECDSA', hash: 'sha512', keys: ['P-521'], purpose: hashSigning('ECDSA', 'sha512') },
      { name: 'ES256K', scheme: 'ECDSA', hash: 'sha256', keys: ['secp256k1'], purpose: hashSigning('ECDSA', 'sha256') },
      { name: 'EdDSA', scheme: 'EdDSA', keys: ['Ed25519', 'Ed448'], purpose: SIGNING },
      { name: 'Ed25519', scheme: 'EdDSA', keys: ['Ed25519'], purpose: SIGNING },
      { name: 'Ed448', scheme: 'EdDSA', keys: ['Ed448'], purpose: SIGNING },
      { name: 'ML-DSA-44', scheme: 'ML-DSA', keys: ['MLDSA_44'], purpose: SIGNING },
      { name: 'ML-DSA-65', scheme: 'ML-DSA', keys: ['MLDSA_65'], purpose: SIGNING },
      { name: 'ML-DSA-87', scheme: 'ML-DSA', keys: ['MLDSA_87'], purpose: SIGNING },
    ] satisfies SignatureAlgorithm[]
  ).map((each) => [each.name, each]),
);

export function findSignatureAlgorithm(name: string): SignatureAlgorithm | undefined {
  return ALGORITHMS.get(name);
}

/** @throws Problem bad_request or unsupported_algorithm, also for `none` and the MACs, which are not signatures */
export function signatureAlgorithm(name: string, place: Place): SignatureAlgorithm {
  const found = ALGORITHMS.get(name);
  if (!found) throw refuse('alg', name, place);
  return found;
}

/** Whether a key has the type and the curve that the algorithm needs. */
export function isKeyOf({ scheme, keys = [] }: SignatureAlgorithm, key: KeyFacts): boolean {
  if (scheme === 'PKCS1' || scheme === 'PSS') return isLongRsa(key);
  return keys.includes((scheme === 'ML-DSA' ? key.algorithm : curveName(key)) ?? '');
}

const HASH = { sha256: 'SHA_256', sha384: 'SHA_384', sha512: 'SHA_512' } as const;
/** In bytes: the salt of PSS is as long as the hash (RFC 7518 section 3.5). */
const SALT = { sha256: 32, sha384: 48, sha512: 64 } as const;

/** Signature parameters for a key. The encoding is R followed by S, each as long as the order (RFC 7518 section 3.4). */
export function signing({ scheme, hash }: SignatureAlgorithm): Pick<Signing, 'parameters' | 'encoding'> {
  return { parameters: hash === undefined ? {} : parametersOf(scheme, hash), encoding: 'ieee-p1363' };
}

function parametersOf(scheme: SignatureAlgorithm['scheme'], hash: keyof typeof HASH): CryptographicParameters {
  const hashingAlgorithm = HASH[hash];
  if (scheme === 'PKCS1') return { paddingMethod: 'PKCS1V1_5', hashingAlgorithm };
  return scheme === 'PSS' ? { paddingMethod: 'PSS', hashingAlgorithm, saltLength: SALT[hash] } : { hashingAlgorithm };
}

/** False for every invalid signature, including those of the wrong length. */
export async function isSigned(alg: SignatureAlgorithm, key: Key, input: Uint8Array, signature: Uint8Array): Promise<boolean> {
  try {
    return await key.verify({ ...signing(alg), data: input, signature });
  } catch (error) {
    if (refusalOf(error)?.reason === 'CryptographicFailure') return false;
    throw error;
  }
}
