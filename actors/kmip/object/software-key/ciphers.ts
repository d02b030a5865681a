// Chooses the cipher with which stored key material encrypts.
import type { KeyObject } from 'node:crypto';
import { cbcHmac } from '../../../../crypto/cipher/cbc-hmac.ts';
import { type Cipher, cipherFor } from '../../../../crypto/cipher/cipher.ts';
import type { FpeParameters } from '../../../../crypto/format-preserving/fpe.ts';
import { keyFacts } from '../../../../crypto/key/key-algorithm.ts';
import type { CryptographicParameters } from '../../../../crypto/parameters.ts';
import { randomIv } from '../../../../crypto/random.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import type { CipherAlgorithm, CipherFacts } from '../key.ts';

const plain = (name: string): CipherFacts => ({ name, ivBytes: undefined, authenticated: false, tagBytes: 0 });

export const FF1: CipherFacts = plain('FF1');
const RSA: CipherFacts = plain('RSA');
const ML_KEM: CipherFacts = plain('ML-KEM');
/** The ciphertext ends with the tag. */
const ECIES: CipherFacts = { ...plain('ECIES'), authenticated: true };

/** Keys that encrypt neither with ML-KEM nor with RSA use ECIES, which refuses those that do not fit it. */
export function pairCipher(key: KeyObject): CipherFacts {
  const { algorithm } = keyFacts(key);
  if (algorithm.startsWith('MLKEM')) return ML_KEM;
  return algorithm === 'RSA' ? RSA : ECIES;
}

/** @throws Refusal BadCryptographicParameters if neither the key nor the parameters name an algorithm, and the refusals of `cipherFor` */
export function secretCipher(id: string, key: KeyObject, algorithm: CipherAlgorithm | undefined, parameters: CryptographicParameters): Cipher {
  if (algorithm === undefined) throw new Refusal('BadCryptographicParameters', `neither the parameters nor ${id} names a cryptographic algorithm`);
  const keyBytes = key.symmetricKeySize ?? 0;
  return algorithm === 'AES_CBC_HMAC' ? cbcHmac(parameters, keyBytes) : cipherFor(algorithm, parameters, keyBytes);
}

/**
 * Generates an IV of the requested length if the cipher accepts it; undefined if the cipher needs no IV. It is never shorter than usual: random
 * nonces of fewer bits repeat (NIST SP 800-38D section 8.2.2), and who takes the bits of IVLength for bytes asks for one of a byte.
 */
export function ivFor(cipher: Cipher, { ivLength }: CryptographicParameters): Uint8Array | undefined {
  if (cipher.ivBytes === undefined) return undefined;
  const asked = (ivLength ?? 0) / 8;
  return randomIv(Number.isInteger(asked) && asked > cipher.ivBytes && cipher.acceptsIv(asked) ? asked : cipher.ivBytes);
}

export function requireFormat(format: FpeParameters | undefined): FpeParameters {
  if (format === undefined) throw new Refusal('InvalidField', 'FF1 needs an alphabet');
  return format;
}
