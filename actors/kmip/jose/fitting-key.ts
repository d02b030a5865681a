// The key inside an object, where it fits the algorithm: the right kind, length and purpose.
import type { KeyObject } from 'node:crypto';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { TYPE } from '../../../kmip/ttlv/node.ts';
import { codeOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { algorithmOf } from '../object/key-attributes.ts';
import { asymmetricKey, secretBytes, secretKey } from '../object/key-material.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import { type ContentEncryption, type ContentKey, contentKey } from './content-encryption.ts';
import { Problem } from './problem.ts';

const { BlockCipherMode } = ENUM;

export const unfit = (): Problem => new Problem('crypto_failure', 'the key does not fit alg');

/** The shortest modulus that RFC 7518 sections 3.3, 3.5 and 4.3 permit, bits. */
const SMALLEST_MODULUS = 2048;

const direct = new WeakMap<ManagedObject, { enc: ContentEncryption; key: ContentKey }>();

/** The key of `dir`. @throws Problem crypto_failure, Refusal */
export function directKey(object: ManagedObject, enc: ContentEncryption): ContentKey {
  const known = direct.get(object);
  if (known?.enc === enc) return known.key;
  requireMode(object, enc.hash === undefined ? BlockCipherMode.GCM : BlockCipherMode.CBC);
  const key = contentKey(enc, aesKey(object, enc.keyLength));
  direct.set(object, { enc, key });
  return key;
}

/** The key of AES key wrap. @param length bytes @throws Problem crypto_failure, Refusal */
export function wrappingKey(object: ManagedObject, length: number): Uint8Array {
  requireMode(object, BlockCipherMode.NISTKeyWrap);
  return aesKey(object, length);
}

function aesKey(object: ManagedObject, length: number): Uint8Array {
  const algorithm = algorithmOf(object);
  const key = secretBytes(object);
  if (key.length !== length || (algorithm !== undefined && algorithm !== 'AES')) throw unfit();
  return key;
}

/** A key that was made for one mode is used in no other (RFC 8725 section 3.1 has it for signatures). */
function requireMode({ attributes }: ManagedObject, mode: number): void {
  let isOther = false;
  for (const { node } of attributes.all(TAG.CryptographicParameters)) {
    const own = node.type === TYPE.Structure ? codeOf(node, TAG.BlockCipherMode) : undefined;
    if (own === mode) return;
    isOther ||= own !== undefined;
  }
  if (isOther) throw unfit();
}

/** The key of an HMAC, at least as long as its hash (RFC 7518 section 3.2). @param length bytes @throws Problem crypto_failure, Refusal */
export function macKey(object: ManagedObject, algorithm: string, length: number): KeyObject {
  const own = algorithmOf(object);
  const key = secretKey(object);
  if ((key.symmetricKeySize ?? 0) < length || (own !== undefined && own !== algorithm)) throw unfit();
  return key;
}

/** @throws Problem crypto_failure, Refusal */
export function rsaKey(object: ManagedObject): KeyObject {
  const key = asymmetricKey(object);
  if (!isLongRsa(key)) throw unfit();
  return key;
}

export function isLongRsa(key: KeyObject): boolean {
  return key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= SMALLEST_MODULUS;
}
