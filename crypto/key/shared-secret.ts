// Checks the secret that two keys have agreed on, whoever has computed it.
import { CryptoError } from '../crypto-error.ts';

export const notAgreed = (): CryptoError => new CryptoError('failed', 'key agreement failed with these keys');

/**
 * All zeros is what everybody gets with a public key of small order (RFC 7748 section 6.1). OpenSSL refuses it itself; tokens may not.
 * @throws CryptoError failed
 */
export function requireSecret(shared: Uint8Array): Uint8Array {
  if (shared.every((byte) => byte === 0)) throw notAgreed();
  return shared;
}
