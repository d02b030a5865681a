// FF1 in Encrypt and Decrypt, for which KMIP has no fields of its own.
import { ff1Decrypt, ff1Encrypt, fpeParametersFrom } from '../crypto/fpe.ts';
import { secretKey } from '../object/key-material.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import { Refusal } from '../refusal.ts';
import { bytes, type Node, type Structure, TYPE, text } from '../ttlv/node.ts';
import { bytesOf, structureOf, textOf } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';
import { noData } from './cipher-rules.ts';

/**
 * With a key of the algorithm FPE_FF1, or of AES and this algorithm in the parameters, of 256 bits. Data is UTF-8 text of the alphabet's
 * characters, and so is the answer. Vendor attributes `Attribute {VendorIdentification, AttributeName, AttributeValue}` say over what: of
 * the request's CryptographicParameters, else of the key.
 *
 * | AttributeName | AttributeValue |
 * |---|---|
 * | `alphabet` | TextString: `numeric` (the default), `alphabetic`, `alphanumeric`, `hexadecimal`, or the characters themselves |
 * | `radix` | Integer 2 to 36, in place of an alphabet |
 *
 * The tweak is the AuthenticatedEncryptionAdditionalData, or the IVCounterNonce, of the request; none is the empty one.
 * @throws Refusal InvalidField
 */
export function encryptFormat(object: ManagedObject, request: Structure): readonly Node[] {
  const data = bytesOf(request, TAG.Data);
  if (data === undefined) throw noData('encrypt');
  return [text(TAG.UniqueIdentifier, object.id), bytes(TAG.Data, ff1Encrypt(secretKey(object), parametersFor(object, request), data))];
}

export function decryptFormat(object: ManagedObject, request: Structure, data: Uint8Array): Uint8Array {
  return ff1Decrypt(secretKey(object), parametersFor(object, request), data);
}

function parametersFor(object: ManagedObject, request: Structure) {
  const additional = bytesOf(request, TAG.AuthenticatedEncryptionAdditionalData);
  const nonce = bytesOf(request, TAG.IVCounterNonce);
  if (additional !== undefined && nonce !== undefined)
    throw new Refusal('InvalidField', 'the tweak of FF1 is the additional data or the IV/counter/nonce, not both');
  const asked = fieldsOf(structureOf(request, TAG.CryptographicParameters)?.value ?? []);
  const fields = Object.keys(asked).length > 0 ? asked : fieldsOf(object.attributes.all(TAG.Attribute).map(({ node }) => node));
  return fpeParametersFrom(fields, additional ?? nonce);
}

const FIELDS: ReadonlySet<string> = new Set(['alphabet', 'radix']);

function fieldsOf(nodes: readonly Node[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const node of nodes) {
    if (node.tag !== TAG.Attribute || node.type !== TYPE.Structure) continue;
    const name = textOf(node, TAG.AttributeName);
    if (name !== undefined && FIELDS.has(name)) fields[name] = node.value.find(({ tag }) => tag === TAG.AttributeValue)?.value;
  }
  return fields;
}
