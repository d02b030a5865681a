// Checks whether a key fits an algorithm: its type, length and purpose.
import type { ContentEncryption } from '../../../jose/content-encryption.ts';
import { RSA_MODULUS_BITS } from '../../../jose/rsa.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { TYPE } from '../../../kmip/ttlv/node.ts';
import { codeOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { KeyFacts } from '../object/key.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import { JoseProblem } from './problem.ts';
import type { Fits } from './use.ts';

const { BlockCipherMode } = ENUM;

export const unfit = (): JoseProblem => new JoseProblem('crypto_failure', 'the key does not fit alg');

const fitting = new WeakMap<ManagedObject, ContentEncryption>();

/** Checks a key for `dir`. @throws Problem crypto_failure, Refusal */
export function fitsContent(enc: ContentEncryption): Fits {
  return (key, object) => {
    if (fitting.get(object) === enc) return;
    requireMode(object, enc.hash === undefined ? BlockCipherMode.GCM : BlockCipherMode.CBC);
    requireAes(key, enc.keyLength);
    fitting.set(object, enc);
  };
}

/** Checks a key for AES key wrap. @param length in bytes @throws Problem crypto_failure, Refusal */
export function fitsKeyWrap(length: number): Fits {
  return (key, object) => {
    requireMode(object, BlockCipherMode.NISTKeyWrap);
    requireAes(key, length);
  };
}

function requireAes({ algorithm, length }: KeyFacts, bytes: number): void {
  if (length !== bytes * 8 || (algorithm !== undefined && algorithm !== 'AES')) throw unfit();
}

/** A key made for one mode must not be used in another (RFC 8725 section 3.1 requires this for signatures). */
function requireMode({ attributes }: ManagedObject, mode: number): void {
  let isOther = false;
  for (const { node } of attributes.all(TAG.CryptographicParameters)) {
    const own = node.type === TYPE.Structure ? codeOf(node, TAG.BlockCipherMode) : undefined;
    if (own === mode) return;
    isOther ||= own !== undefined;
  }
  if (isOther) throw unfit();
}

/** Checks an HMAC key, which must be at least as long as the hash (RFC 7518 section 3.2). @param bytes of the hash @throws Problem crypto_failure, Refusal */
export function requireMacKey({ algorithm, length }: KeyFacts, own: string, bytes: number): void {
  if (length < bytes * 8 || (algorithm !== undefined && algorithm !== own)) throw unfit();
}

/** @throws Problem crypto_failure, Refusal */
export const fitsRsa: Fits = (key) => {
  if (!isLongRsa(key)) throw unfit();
};

export function isLongRsa({ algorithm, length, isForPssOnly }: KeyFacts): boolean {
  return algorithm === 'RSA' && !isForPssOnly && length >= RSA_MODULUS_BITS.min;
}
