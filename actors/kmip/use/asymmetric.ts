// Encrypt and Decrypt with the keys of a pair: RSA, ECIES, and the encapsulation of ML-KEM.
import { decrypt, encrypt } from '../../../crypto/cipher/asymmetric-encrypt.ts';
import { decapsulate, encapsulate } from '../../../crypto/key/key-agreement.ts';
import type { CryptographicParameters } from '../../../crypto/parameters.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { bytes, type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { asymmetricKey } from '../object/key-material.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import { noData } from './cipher-rules.ts';

/** What holds a public key: for encryption and verification. */
export function isPublic({ type }: ManagedObject): boolean {
  return type === ENUM.ObjectType.PublicKey || type === ENUM.ObjectType.Certificate;
}

/**
 * With an ML-KEM key nothing is encrypted: Data of the answer is a new shared secret, IVCounterNonce its encapsulation, and Data of the
 * request, if it is there at all, is not looked at.
 * @throws Refusal of `encrypt`; InvalidMessage without data
 */
export function publicKeyEncrypt(object: ManagedObject, parameters: CryptographicParameters, request: Structure): readonly Node[] {
  const key = asymmetricKey(object);
  const id = text(TAG.UniqueIdentifier, object.id);
  if (key.asymmetricKeyType?.startsWith('ml-kem')) {
    const { sharedSecret, ciphertext } = encapsulate(key);
    return [id, bytes(TAG.Data, sharedSecret), bytes(TAG.IVCounterNonce, ciphertext)];
  }
  const data = bytesOf(request, TAG.Data);
  if (data === undefined) throw noData('encrypt');
  return [id, bytes(TAG.Data, encrypt(key, parameters, data, bytesOf(request, TAG.AuthenticatedEncryptionAdditionalData)))];
}

/** @param data a ciphertext, or an encapsulation for an ML-KEM key @throws Refusal of `decrypt` and `decapsulate` */
export function privateKeyDecrypt(object: ManagedObject, parameters: CryptographicParameters, request: Structure, data: Uint8Array): Uint8Array {
  const key = asymmetricKey(object);
  if (key.asymmetricKeyType?.startsWith('ml-kem')) return decapsulate(key, data);
  return decrypt(key, parameters, data, bytesOf(request, TAG.AuthenticatedEncryptionAdditionalData));
}
