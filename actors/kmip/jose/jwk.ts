// Public JSON Web Keys (RFC 7517, RFC 7518 section 6, RFC 8037, RFC 8812).
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Members } from './members.ts';

/** `kty` and the public members of a public or a private key. */
export function publicJwk(key: KeyObject): Members {
  const { kty, ...members } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' });
  return { kty, ...members };
}
