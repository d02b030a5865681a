// Public JSON Web Keys, and the JOSE names of curves (RFC 7517, 7518 section 6, 8037, 8812).
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { RecommendedCurve } from '../../../crypto/parameters.ts';
import type { KeyFacts } from '../object/key.ts';
import type { Members } from './members.ts';

const CURVE: Readonly<Partial<Record<RecommendedCurve, string>>> = {
  P_256: 'P-256',
  P_384: 'P-384',
  P_521: 'P-521',
  SECP256K1: 'secp256k1',
  CURVEED25519: 'Ed25519',
  CURVEED448: 'Ed448',
  CURVE25519: 'X25519',
  CURVE448: 'X448',
};

/** The `crv` of a key; undefined for keys and curves without a name in JOSE. */
export function curveName({ curve }: KeyFacts): string | undefined {
  return curve && CURVE[curve];
}

/** `kty` and the public members of a public or a private key. */
export function publicJwk(key: KeyObject): Members {
  const { kty, ...members } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' });
  return { kty, ...members };
}
