// The content of a certificate object: its type, followed by X.509 in DER (KMIP 2.1 section 2.1).
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { bytes, enumeration, type Structure, structure } from '../../../../kmip/ttlv/node.ts';
import { bytesOf, codeOf, required } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { ManagedObject } from '../managed-object.ts';

export function certificateContent(der: Uint8Array): Structure {
  return structure(TAG.Certificate, [enumeration(TAG.CertificateType, ENUM.CertificateType.X_509), bytes(TAG.CertificateValue, der)]);
}

/** Returns the DER of an X.509 certificate. @throws Refusal InvalidField for a certificate of another type, InvalidMessage for a malformed structure */
export function derOf(content: Structure): Uint8Array {
  const type = required(codeOf(content, TAG.CertificateType), TAG.CertificateType);
  if (type !== ENUM.CertificateType.X_509) throw new Refusal('InvalidField', 'only X.509 certificates are supported');
  return required(bytesOf(content, TAG.CertificateValue), TAG.CertificateValue);
}

/** Returns the DER of a stored certificate. @throws Refusal InvalidObjectType for another kind of object, ObjectDestroyed, and the refusals of `derOf` */
export function certificateOf(object: ManagedObject): Uint8Array {
  if (object.type !== ENUM.ObjectType.Certificate)
    throw new Refusal('InvalidObjectType', `a certificate is needed, but ${object.id} is another kind of object`);
  if (!object.content) throw new Refusal('ObjectDestroyed', `${object.id} is destroyed`);
  return derOf(object.content);
}
