// Decrypts with keys on tokens: refuses what no key decrypts before the token is asked, and names what it does not decrypt as keys in software do.
import { notAuthentic } from '../../../../crypto/cipher/aead.ts';
import { notDecrypted } from '../../../../crypto/cipher/block-cipher.ts';
import type { Cipher } from '../../../../crypto/cipher/cipher.ts';
import { notUnwrapped } from '../../../../crypto/cipher/key-wrap.ts';
import { rsaNotDecrypted } from '../../../../crypto/cipher/rsa-encrypt.ts';
import type { CryptoError } from '../../../../crypto/crypto-error.ts';
import type { Decryption, KeyFacts } from '../key.ts';
import type { ManagedObject } from '../managed-object.ts';
import { requireIv, withIv } from './cipher-mechanism.ts';
import type { KeyOnToken } from './key-on-token.ts';
import { decryptPkcs1 } from './pkcs1-decryption.ts';
import { unwrapByRsaAes } from './rsa-aes.ts';
import { type AesChoice, isWrap, rsaChoice, wrapMechanism } from './token-cipher.ts';
import { decrypting } from './token-refusal.ts';

/** What keys in software say of data that do not decrypt. */
export const failureOf =
  ({ tagBytes }: Pick<Cipher, 'tagBytes'>) =>
  (cause: unknown): CryptoError =>
    tagBytes > 0 ? notAuthentic(cause) : notDecrypted(cause);

/** @throws CryptoError as keys in software, Refusal for what the token refuses */
export async function decryptAes(token: KeyOnToken, { cipher, name }: AesChoice, given: Omit<Decryption, 'algorithm'>): Promise<Uint8Array> {
  const { parameters, aad, data, tag } = given;
  if (isWrap(name)) {
    cipher.requireLengths?.('decrypt', { iv: given.iv, bytes: data.length });
    return decrypting(token.run('unwrap', wrapMechanism(name, given.iv), data), notUnwrapped);
  }
  const iv = requireIv(cipher, given.iv);
  cipher.requireLengths?.('decrypt', { iv, bytes: data.length, tag });
  const mechanism = withIv(name, { iv, aad, tagBytes: cipher.tagBytes }, parameters);
  return decrypting(token.run('decrypt', mechanism, tag && cipher.tagBytes > 0 ? Buffer.concat([data, tag]) : data), failureOf(cipher));
}

/**
 * @throws CryptoError failed, always with the same text, whatever is wrong with the data; Refusal for what the token refuses. As with keys in software a
 *   wrong PKCS#1 v1.5 padding is no error, where the token lets this server remove it.
 */
export async function decryptRsa(
  token: KeyOnToken,
  object: ManagedObject,
  key: Pick<KeyFacts, 'algorithm' | 'length'>,
  { parameters, data }: Pick<Decryption, 'parameters' | 'data'>,
): Promise<Uint8Array> {
  token.requireKind('private');
  const mechanism = rsaChoice(key, parameters);
  const modulusBytes = Math.ceil(key.length / 8);
  if (parameters.paddingMethod === 'None') return decrypting(unwrapByRsaAes(token, mechanism, modulusBytes, data), rsaNotDecrypted);
  // Some tokens take shorter ciphertexts, as numbers with leading zeros; RFC 8017 section 7 does not. Of some keys the length is not known.
  if (modulusBytes > 0 && data.length !== modulusBytes) throw rsaNotDecrypted();
  if (parameters.paddingMethod === 'PKCS1V1_5') return decryptPkcs1(token, object, data);
  return decrypting(token.run('decrypt', mechanism, data), rsaNotDecrypted);
}
