// Public JSON Web Keys of keys, and the names that JOSE has for their curves (RFC 7517, 7518 section 6, 8037, 8812).
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Members } from './members.ts';

const CURVE: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521', secp256k1: 'secp256k1' };
const OKP: Readonly<Record<string, string>> = { ed25519: 'Ed25519', ed448: 'Ed448', x25519: 'X25519', x448: 'X448' };

/** `crv` of a key; undefined for keys and curves that JOSE has no name for. */
export function curveName(key: KeyObject): string | undefined {
  const type = key.asymmetricKeyType ?? '';
  return type === 'ec' ? CURVE[key.asymmetricKeyDetails?.namedCurve ?? ''] : OKP[type];
}

/** kty and the public members, of a public or a private key. */
export function publicJwk(key: KeyObject): Members {
  const { kty, ...members } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' });
  return { kty, ...members };
}
