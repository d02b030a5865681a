// Encrypt and Decrypt with key pairs: RSA, ECIES, and the encapsulation of ML-KEM.
import type { CryptographicParameters } from '../../../crypto/parameters.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { bytes, type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Key } from '../object/key.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import { noData, requirePairAuthenticates } from './cipher-rules.ts';

const NOTHING = new Uint8Array();

/** Whether the object holds a public key, which encrypts or verifies. */
export function isPublic({ type }: ManagedObject): boolean {
  return type === ENUM.ObjectType.PublicKey || type === ENUM.ObjectType.Certificate;
}

/**
 * With an ML-KEM key, nothing is encrypted: Data of the response is a new shared secret, and IVCounterNonce is its encapsulation.
 * Data of the request is ignored.
 * @throws Refusal: those of `encrypt`; InvalidMessage without data
 */
export async function publicKeyEncrypt(key: Key, parameters: CryptographicParameters, request: Structure): Promise<readonly Node[]> {
  const choice = { algorithm: undefined, parameters };
  const data = bytesOf(request, TAG.Data);
  if (data === undefined && key.cipher(choice).name !== 'ML-KEM') throw noData('encrypt');
  const aad = bytesOf(request, TAG.AuthenticatedEncryptionAdditionalData);
  const encrypted = await key.encrypt({ ...choice, data: data ?? NOTHING, aad });
  const iv = encrypted.iv === undefined ? [] : [bytes(TAG.IVCounterNonce, encrypted.iv)];
  return [text(TAG.UniqueIdentifier, key.id), bytes(TAG.Data, encrypted.data), ...iv];
}

/** @param data a ciphertext, or an encapsulation for an ML-KEM key @throws Refusal: those of `decrypt`; InvalidField */
export async function privateKeyDecrypt(key: Key, parameters: CryptographicParameters, request: Structure, data: Uint8Array): Promise<Uint8Array> {
  requirePairAuthenticates(request, key, parameters);
  return key.decrypt({ algorithm: undefined, parameters, data, aad: bytesOf(request, TAG.AuthenticatedEncryptionAdditionalData) });
}
