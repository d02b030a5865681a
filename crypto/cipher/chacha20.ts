// ChaCha20 without authentication: RFC 8439 with a nonce of 12 bytes, and Bernstein's original with 8 bytes.
import { CryptoError } from '../crypto-error.ts';
import { createStreamed, plain } from './block-cipher.ts';
import type { Cipher } from './cipher.ts';

/**
 * The length of the nonce determines the form: 12 bytes with a 32-bit counter, 8 bytes with a 64-bit counter,
 * or 16 bytes that consist of the counter (little-endian) and the nonce.
 * @param initialCounter counter of the first block, 0 by default; not allowed with 16 bytes
 */
export function chacha20(initialCounter: number | undefined): Cipher {
  if (initialCounter !== undefined && initialCounter < 0) throw new CryptoError('invalid', 'InitialCounterValue must not be negative');
  const only = initialCounter === undefined ? [8, 12, 16] : [8, 12];
  const block = (nonce: Uint8Array) => {
    if (nonce.length === 16) return nonce;
    const state = Buffer.alloc(16);
    state.writeUInt32LE(initialCounter ?? 0);
    state.set(nonce, 16 - nonce.length);
    return state;
  };
  return createStreamed({ name: 'ChaCha20', openssl: 'chacha20', rule: { bytes: 12, min: 8, max: 16, only }, block, pieces: (cipher) => plain(cipher) });
}
