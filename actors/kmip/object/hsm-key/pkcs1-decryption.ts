// Decrypts RSA PKCS#1 v1.5 on a token without telling whether the padding was right: the token computes, and this server removes the padding.
import { createHash } from 'node:crypto';
import { rejectionChallenge, withoutPadding } from '../../../../crypto/cipher/implicit-rejection.ts';
import { rsaNotDecrypted } from '../../../../crypto/cipher/rsa-encrypt.ts';
import { CryptoError } from '../../../../crypto/crypto-error.ts';
import type { ManagedObject } from '../managed-object.ts';
import type { KeyOnToken } from './key-on-token.ts';
import { decrypting, isNoResidue, isNotThere } from './token-refusal.ts';

const RAW = 'CKM_RSA_X_509';

/** What each key makes of the challenge, which nobody else can compute; undefined for a key that is not used without padding. */
const secrets = new WeakMap<ManagedObject, Buffer | undefined>();

/** Without it a token tells by its refusal whether a padding was right, and who may ask often enough decrypts and signs with that what they want (Bleichenbacher). */
const mayRemovePadding = ({ mechanisms }: KeyOnToken): boolean => mechanisms?.has(RAW) !== false;

/** @param data as long as the modulus @throws CryptoError failed, Refusal for what the token refuses */
export async function decryptPkcs1(token: KeyOnToken, object: ManagedObject, data: Uint8Array): Promise<Uint8Array> {
  const secret = mayRemovePadding(token) ? await secretOf(token, object, data.length) : undefined;
  if (!secret) return decrypting(token.run('decrypt', { name: 'CKM_RSA_PKCS' }, data), rsaNotDecrypted);
  return withoutPadding(await rawBlock(token, data), data, secret);
}

/** Asked before the data are looked at, so that the first use of a key says no more of them than the next one. @returns undefined if the token does not do it */
async function secretOf(token: KeyOnToken, object: ManagedObject, modulusBytes: number): Promise<Buffer | undefined> {
  if (secrets.has(object)) return secrets.get(object);
  try {
    const block = await rawBlock(token, rejectionChallenge(modulusBytes));
    const secret = createHash('sha256').update(block).digest();
    block.fill(0);
    secrets.set(object, secret);
    return secret;
  } catch (error) {
    if (isNotThere(error)) secrets.set(object, undefined);
    // Any trouble may be behind the others: the next use asks again.
    else if (!(error instanceof CryptoError)) throw error;
    return undefined;
  }
}

/** Some tokens tell a number without its leading zeros. */
async function rawBlock(token: KeyOnToken, data: Uint8Array): Promise<Uint8Array> {
  const number = await decrypting(token.run('decrypt', { name: RAW }, data), rsaNotDecrypted, isNoResidue);
  if (number.length === data.length) return number;
  if (number.length > data.length) throw rsaNotDecrypted();
  const block = new Uint8Array(data.length);
  block.set(number, data.length - number.length);
  number.fill(0);
  return block;
}
