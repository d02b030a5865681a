// From an object's content to the key that an algorithm works with, read once for each object in the cache.
import { createSecretKey, type KeyObject } from 'node:crypto';
import { importKey } from '../../../crypto/key/key-format.ts';
import type { CryptographicAlgorithm, KeyFormatType, RecommendedCurve } from '../../../crypto/parameters.ts';
import { certificateFacts } from '../../../crypto/x509/certificate-facts.ts';
import { upgradeAttribute } from '../../../kmip/message/legacy-attribute.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { bytes, enumeration, integer, type Node, type Structure, structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { bytesOf, child, codeOf, integerOf, named, nameOf, required, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { ManagedObject } from './managed-object.ts';

const { ObjectType } = ENUM;

export interface KeyBlock {
  readonly format: KeyFormatType;
  /** Bytes, or the members of a transparent format; wrapped bytes where `wrapping` is there. */
  readonly material: Uint8Array | Structure;
  readonly algorithm: CryptographicAlgorithm | undefined;
  /** Bits. */
  readonly length: number | undefined;
  /** KeyWrappingData of material that is stored wrapped. */
  readonly wrapping: Structure | undefined;
  /** Attributes inside the KeyValue. */
  readonly attributes: readonly Node[];
}

/** What a key block says of its key, which may be kept elsewhere. @throws Refusal for a malformed one */
export function keyBlockHead(content: Structure): Pick<KeyBlock, 'format' | 'algorithm' | 'length'> {
  const block = required(structureOf(content, TAG.KeyBlock), TAG.KeyBlock);
  return {
    format: required(named(block, TAG.KeyFormatType, 'KeyFormatType'), TAG.KeyFormatType),
    algorithm: named(block, TAG.CryptographicAlgorithm, 'CryptographicAlgorithm'),
    length: integerOf(block, TAG.CryptographicLength),
  };
}

/** Whether it is the object of a key that is kept elsewhere: a KeyBlock without KeyValue (KMIP 1.2 section 3.41). */
export function lacksKeyValue(content: Structure): boolean {
  const block = structureOf(content, TAG.KeyBlock);
  return block !== undefined && !child(block, TAG.KeyValue);
}

/**
 * @param content SymmetricKey, PrivateKey, PublicKey, SecretData, SplitKey or PGPKey
 * @throws Refusal for a malformed one, KeyValueNotPresent for one whose key is kept elsewhere
 */
export function keyBlockOf(content: Structure): KeyBlock {
  const block = required(structureOf(content, TAG.KeyBlock), TAG.KeyBlock);
  const value = child(block, TAG.KeyValue);
  if (!value) throw new Refusal('KeyValueNotPresent', 'the key is kept elsewhere: the object was registered without its KeyValue');
  const material =
    value.type === TYPE.ByteString ? value : value.type === TYPE.Structure ? required(child(value, TAG.KeyMaterial), TAG.KeyMaterial) : undefined;
  if (!material || (material.type !== TYPE.ByteString && material.type !== TYPE.Structure))
    throw new Refusal('InvalidMessage', 'KeyMaterial is neither a ByteString nor a Structure');
  return {
    ...keyBlockHead(content),
    material: material.type === TYPE.ByteString ? material.value : material,
    wrapping: structureOf(block, TAG.KeyWrappingData),
    attributes: value.type === TYPE.Structure ? attributesOf(value) : [],
  };
}

function attributesOf(value: Structure): readonly Node[] {
  const attributes = child(value, TAG.Attributes);
  const inside = attributes?.type === TYPE.Structure ? attributes.value : value.value.filter(({ tag }) => tag === TAG.Attribute).flatMap(upgraded);
  return inside.filter(({ tag }) => tag !== TAG.AttributeIndex);
}

/** What a client of KMIP 1.x has wrapped comes out as it names attributes; one that nobody knows is left out. */
function upgraded(node: Node): Node[] {
  try {
    return upgradeAttribute(node);
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}

export interface NewKeyBlock {
  readonly format: KeyFormatType;
  readonly material: Uint8Array | readonly Node[];
  readonly algorithm?: CryptographicAlgorithm | undefined;
  /** Bits. */
  readonly length?: number | undefined;
  /** KeyCompressionType of the point in the material; undefined for an uncompressed one, and for what has none. */
  readonly compression?: number | undefined;
  /** Inside the KeyValue. */
  readonly attributes?: readonly Node[];
}

/** A KeyBlock structure, unwrapped. */
export function keyBlock({ format, material, algorithm, length, compression, attributes = [] }: NewKeyBlock): Structure {
  const value = material instanceof Uint8Array ? bytes(TAG.KeyMaterial, material) : structure(TAG.KeyMaterial, material);
  return structure(TAG.KeyBlock, [
    enumeration(TAG.KeyFormatType, ENUM.KeyFormatType[format]),
    ...(compression === undefined ? [] : [enumeration(TAG.KeyCompressionType, compression)]),
    structure(TAG.KeyValue, attributes.length === 0 ? [value] : [value, structure(TAG.Attributes, attributes)]),
    ...(algorithm === undefined ? [] : [enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[algorithm])]),
    ...(length === undefined ? [] : [integer(TAG.CryptographicLength, length)]),
  ]);
}

/** The content of a new symmetric key. @param length CryptographicLength, bits: DES keys do not count their parity */
export function symmetricKey(
  material: Uint8Array,
  algorithm: CryptographicAlgorithm,
  length = material.length * 8,
  format: 'Raw' | 'TransparentSymmetricKey' = 'Raw',
): Structure {
  const value = format === 'Raw' ? material : [bytes(TAG.Key, material)];
  return structure(TAG.SymmetricKey, [keyBlock({ format, material: value, algorithm, length })]);
}

/** The cryptographic algorithm of an object, from its attributes. */
export function algorithmOf(object: ManagedObject): CryptographicAlgorithm | undefined {
  const node = object.attributes.first(TAG.CryptographicAlgorithm);
  return node?.type === TYPE.Enumeration ? nameOf('CryptographicAlgorithm', node.value) : undefined;
}

function contentOf(object: ManagedObject): Structure {
  if (!object.content) throw new Refusal('ObjectDestroyed', 'the object is destroyed');
  return object.content;
}

const secrets = new WeakMap<ManagedObject, Uint8Array>();

/** The bytes of a symmetric key or of secret data. @throws Refusal for another kind of object, or material stored wrapped */
export function secretBytes(object: ManagedObject): Uint8Array {
  const known = secrets.get(object);
  if (known) return known;
  if (object.type !== ObjectType.SymmetricKey && object.type !== ObjectType.SecretData)
    throw new Refusal('InvalidObjectType', `a symmetric key is needed, ${object.id} is another kind of object`);
  const { material, wrapping } = keyBlockOf(contentOf(object));
  if (wrapping) throw new Refusal('WrappingObjectDestroyed', `${object.id} is stored wrapped; it cannot be used without its wrapping key`);
  const found = material instanceof Uint8Array ? material : required(bytesOf(material, TAG.Key), TAG.Key);
  secrets.set(object, found);
  return found;
}

const secretKeys = new WeakMap<ManagedObject, KeyObject>();

/** The same as a key object, which ciphers and MACs take faster. @throws as `secretBytes` */
export function secretKey(object: ManagedObject): KeyObject {
  const known = secretKeys.get(object);
  if (known) return known;
  const found = createSecretKey(secretBytes(object));
  secretKeys.set(object, found);
  return found;
}

const keys = new WeakMap<ManagedObject, KeyObject>();

/** The key of a private key, a public key, or a certificate. @throws Refusal for another kind of object */
export function asymmetricKey(object: ManagedObject): KeyObject {
  const known = keys.get(object);
  if (known) return known;
  const found = readKey(object);
  keys.set(object, found);
  return found;
}

function readKey(object: ManagedObject): KeyObject {
  const content = contentOf(object);
  if (object.type === ObjectType.Certificate) return certificateFacts(required(bytesOf(content, TAG.CertificateValue), TAG.CertificateValue)).publicKey;
  if (object.type !== ObjectType.PrivateKey && object.type !== ObjectType.PublicKey)
    throw new Refusal('InvalidObjectType', `a key of a pair is needed, ${object.id} is another kind of object`);
  const { format, material, algorithm, wrapping } = keyBlockOf(content);
  if (wrapping) throw new Refusal('WrappingObjectDestroyed', `${object.id} is stored wrapped; it cannot be used without its wrapping key`);
  const kind = object.type === ObjectType.PrivateKey ? 'PrivateKey' : 'PublicKey';
  return importKey(kind, format, material, algorithm ?? algorithmOf(object), curveOf(object));
}

/** The curve of the domain parameters of an elliptic curve key. */
export function curveOf(object: ManagedObject): RecommendedCurve | undefined {
  const domain = object.attributes.first(TAG.CryptographicDomainParameters);
  const code = domain?.type === TYPE.Structure ? codeOf(domain, TAG.RecommendedCurve) : undefined;
  return code === undefined ? undefined : nameOf('RecommendedCurve', code);
}
