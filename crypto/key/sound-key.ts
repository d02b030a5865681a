// Says what is wrong with the numbers of a new key, of which OpenSSL reads any: with some of them, signatures verify that nobody has made, or show the key.
import type { KeyObject } from 'node:crypto';
import { isDhKey, isDsaKey } from './discrete-log-key.ts';
import { keyFacts } from './key-algorithm.ts';
import { isPublicPoint } from './public-point.ts';
import { rsaPrivateFlaw } from './rsa-key.ts';

/** @returns undefined for a sound key @throws CryptoError unsupported for an RSA key with more than two primes */
export function flawOf(key: KeyObject): string | undefined {
  const { algorithm } = keyFacts(key);
  const contradiction = algorithm === 'RSA' && key.type === 'private' ? rsaPrivateFlaw(key) : undefined;
  if (contradiction !== undefined) return `the numbers of the RSA private key do not belong together: ${contradiction}`;
  if (algorithm === 'DSA' && !isDsaKey(key)) return 'the numbers of the DSA key do not belong together';
  if (algorithm === 'DH' && !isDhKey(key)) return 'the numbers of the DH key do not belong together';
  return isPublicPoint(key) ? undefined : `these bytes are not a public key of ${key.asymmetricKeyType}`;
}
