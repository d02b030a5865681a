// Signs and verifies with the signature algorithms of JWS: which keys fit, and the parameters of the signature.
import type { CryptographicParameters } from '../../../crypto/parameters.ts';
import { curveName } from '../../../jose/curve.ts';
import type { SignatureAlgorithm } from '../../../jose/signature-algorithm.ts';
import { refusalOf } from '../../../kmip/crypto-refusal.ts';
import type { Key, KeyFacts, Signing } from '../object/key.ts';
import { isLongRsa } from './fitting-key.ts';

/** Whether a key has the type and the curve that the algorithm needs. */
export function isKeyOf({ kty: [kty], curves = [], mlDsa }: SignatureAlgorithm, key: KeyFacts): boolean {
  if (kty === 'RSA') return isLongRsa(key);
  return mlDsa ? key.algorithm === mlDsa.algorithm : curves.includes(curveName(key.curve) ?? '');
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
