// Recognizes private keys that are encrypted with a password, in DER (RFC 5958 section 3).
import { CryptoError } from '../crypto-error.ts';
import { DER, readElement, readInside, readOid } from '../der.ts';

const WHAT = 'the private key';

/** Whether it is an EncryptedPrivateKeyInfo: an algorithm, then octets. */
export function isEncryptedKey(der: Uint8Array): boolean {
  try {
    const [algorithm, data, ...more] = readInside(readElement(der, WHAT), DER.sequence, WHAT);
    const [name] = readInside(algorithm, DER.sequence, WHAT);
    return readOid(name, WHAT) !== '' && data?.tag === DER.octets && more.length === 0;
  } catch (error) {
    if (error instanceof CryptoError) return false;
    throw error;
  }
}
