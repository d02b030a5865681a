// RSA-AES key wrap with RSA keys on tokens (PKCS #11 v3.1 section 2.1.22): the token does OAEP, which takes a temporary AES key, and this server the rest.
import { randomBytes } from 'node:crypto';
import { cipherFor } from '../../../../crypto/cipher/cipher.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import type { Sealed, TokenMechanism } from '../../../hsm/api.ts';
import type { KeyOnToken } from './key-on-token.ts';

const TEMPORARY_KEY_BYTES = 32;
const AES_BYTES: ReadonlySet<number> = new Set([16, 24, 32]);

const keyWrap = (keyBytes: number) => cipherFor('AES', { blockCipherMode: 'AESKeyWrapPadding' }, keyBytes);

/** @param oaep the mechanism with its hashes @returns the wrapped temporary key, followed by the data wrapped with that key */
export async function wrapByRsaAes(token: KeyOnToken, oaep: TokenMechanism, data: Uint8Array): Promise<Sealed> {
  if (data.length === 0) throw new Refusal('InvalidField', 'Data: the data to wrap must not be empty');
  const temporary = randomBytes(TEMPORARY_KEY_BYTES);
  try {
    const { data: sealed } = await token.encrypt(oaep, temporary);
    return { data: new Uint8Array(Buffer.concat([sealed, keyWrap(TEMPORARY_KEY_BYTES).encrypt(temporary, { data }).data])) };
  } finally {
    temporary.fill(0);
  }
}

/** @param modulusBytes of the key @throws Refusal CryptographicFailure, alike for all that is wrong with the data */
export async function unwrapByRsaAes(token: KeyOnToken, oaep: TokenMechanism, modulusBytes: number, data: Uint8Array): Promise<Uint8Array> {
  if (data.length < modulusBytes) throw notUnwrapped();
  const temporary = await token.run('decrypt', oaep, data.subarray(0, modulusBytes));
  try {
    if (!AES_BYTES.has(temporary.length)) throw notUnwrapped();
    return keyWrap(temporary.length).decrypt(temporary, { data: data.subarray(modulusBytes) });
  } catch {
    throw notUnwrapped();
  } finally {
    temporary.fill(0);
  }
}

const notUnwrapped = (): Refusal => new Refusal('CryptographicFailure', 'decryption failed');
