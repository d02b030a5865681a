// Wraps keys for a message: AES key wrap with its default initial value (RFC 3394, RFC 7518 section 4.4), and RSA-OAEP.
import { cipherFor } from '../../../crypto/cipher/cipher.ts';
import type { Wrapped } from '../../../crypto/cipher/wrap.ts';
import type { CryptographicParameters } from '../../../crypto/parameters.ts';
import { refusalOf } from '../../../kmip/crypto-refusal.ts';
import type { Key } from '../object/key.ts';

export const KEY_WRAP: CryptographicParameters = { blockCipherMode: 'NISTKeyWrap' };

const HASH = { sha1: 'SHA_1', sha256: 'SHA_256', sha384: 'SHA_384', sha512: 'SHA_512' } as const;

/** RSA-OAEP with the same hash for its mask (RFC 7518 section 4.3). */
export const oaepBy = (hash: keyof typeof HASH): CryptographicParameters => ({ paddingMethod: 'OAEP', hashingAlgorithm: HASH[hash] });

/** Wraps with a key that two parties have agreed on for one message. */
export function wrap(agreed: Uint8Array, contentKey: Uint8Array): Uint8Array {
  return cipherFor('AES', KEY_WRAP, agreed.length).encrypt(agreed, { data: contentKey }).data;
}

/** @returns undefined if the bytes were not wrapped with this key */
export function unwrap(agreed: Uint8Array, wrapped: Uint8Array): Promise<Uint8Array | undefined> {
  return orUndefined(async () => cipherFor('AES', KEY_WRAP, agreed.length).decrypt(agreed, { data: wrapped }));
}

/** As unwrap, with a stored key. The result does not reveal why unwrapping failed. @throws Refusal if the key cannot unwrap at all */
export function unwrapBy(key: Key, parameters: CryptographicParameters, wrapped: Wrapped): Promise<Uint8Array | undefined> {
  return orUndefined(() => key.unwrap(parameters, wrapped));
}

async function orUndefined(work: () => Promise<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return await work();
  } catch (error) {
    const reason = refusalOf(error)?.reason;
    if (reason === 'CryptographicFailure' || reason === 'InvalidField') return undefined;
    throw error;
  }
}
