// The Digest attribute: SHA-256 of an object's key material as it was created or registered (specification 2.1 section 4.21).
import { createHash } from 'node:crypto';
import { keyBlockOf, lacksKeyValue } from '../../../kmip/key-block.ts';
import { encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { bytes, enumeration, type Structure, structure } from '../../../kmip/ttlv/node.ts';
import { bytesOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';

/** Undefined if there are no bytes to digest: for wrapped keys, and for keys that are kept elsewhere. */
export function digestOf(content: Structure): Structure | undefined {
  const value = bytesOf(content, TAG.CertificateValue) ?? bytesOf(content, TAG.OpaqueDataValue) ?? bytesOf(content, TAG.CertificateRequestValue);
  if (value) return digest(value, undefined);
  if (content.tag === TAG.Certificate || content.tag === TAG.OpaqueObject || content.tag === TAG.Template || lacksKeyValue(content)) return undefined;
  const { material, format, wrapping } = keyBlockOf(content);
  if (wrapping) return undefined;
  // The digest of a transparent key covers its encoding.
  return digest(material instanceof Uint8Array ? material : encodeBinary(material), ENUM.KeyFormatType[format]);
}

/** Attributes are stored in clear, and a stored digest would allow a password to be guessed. So the digest of such an object is computed on request. */
export function isGuessable(type: number): boolean {
  return type === ENUM.ObjectType.SecretData || type === ENUM.ObjectType.OpaqueObject;
}

function digest(value: Uint8Array, format: number | undefined): Structure {
  return structure(TAG.Digest, [
    enumeration(TAG.HashingAlgorithm, ENUM.HashingAlgorithm.SHA_256),
    bytes(TAG.DigestValue, new Uint8Array(createHash('sha256').update(value).digest())),
    ...(format === undefined ? [] : [enumeration(TAG.KeyFormatType, format)]),
  ]);
}
