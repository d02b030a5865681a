// The Digest attribute: SHA-256 of an object's key material as it was created or registered, and in the default format of its kind (specification 2.1 section 4.21).
import { createHash } from 'node:crypto';
import type { ReadonlyAttributes } from '../../../../kmip/attribute/set.ts';
import { type KeyBlock, keyBlockOf, lacksKeyValue } from '../../../../kmip/key-block.ts';
import { defaultFormat, exportKey, importKey } from '../../../../kmip/key-format/key-format.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { encodeBinary } from '../../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { bytes, enumeration, type Structure, structure } from '../../../../kmip/ttlv/node.ts';
import { bytesOf, structureOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { givenAlgorithm, givenCurve } from './new-attributes.ts';

/** @param attributes of the object, which say what its KeyBlock may leave out. @returns first that of the format in which the object is stored; none as `digestOf` */
export function digestsOf(content: Structure, attributes: ReadonlyAttributes): readonly Structure[] {
  const own = digestOf(content);
  if (!own) return [];
  const usual = structureOf(content, TAG.KeyBlock) && inDefaultFormat(content, attributes);
  return usual ? [own, digestOfKey(usual.material, usual.format)] : [own];
}

type Material = Pick<KeyBlock, 'material' | 'format'>;

/** Undefined if the key is stored in this format, or has none but its own. */
function inDefaultFormat(content: Structure, attributes: ReadonlyAttributes): Material | undefined {
  const { material, format, algorithm = givenAlgorithm(attributes) } = keyBlockOf(content);
  if (content.tag === TAG.SymmetricKey || content.tag === TAG.SecretData) {
    const raw = material instanceof Uint8Array ? material : bytesOf(material, TAG.Key);
    return format === 'Raw' || raw === undefined ? undefined : { material: raw, format: 'Raw' };
  }
  const kind = content.tag === TAG.PrivateKey ? 'PrivateKey' : content.tag === TAG.PublicKey ? 'PublicKey' : undefined;
  if (kind === undefined || algorithm === undefined) return undefined;
  const usual = defaultFormat(kind, algorithm);
  if (usual === format) return undefined;
  try {
    const exported = exportKey(importKey(kind, format, material, algorithm, givenCurve(attributes)), usual);
    return { material: exported instanceof Uint8Array ? exported : structure(TAG.KeyMaterial, exported), format: usual };
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Undefined if there are no bytes to digest: for wrapped keys, and for keys that are kept elsewhere. */
function digestOf(content: Structure): Structure | undefined {
  const value = bytesOf(content, TAG.CertificateValue) ?? bytesOf(content, TAG.OpaqueDataValue) ?? bytesOf(content, TAG.CertificateRequestValue);
  if (value) return digest(value, undefined);
  if (content.tag === TAG.Certificate || content.tag === TAG.OpaqueObject || content.tag === TAG.Template || lacksKeyValue(content)) return undefined;
  const { material, format, wrapping } = keyBlockOf(content);
  if (wrapping) return undefined;
  return digestOfKey(material, format);
}

/** The digest of a transparent key covers its encoding. */
function digestOfKey(material: Material['material'], format: Material['format']): Structure {
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
