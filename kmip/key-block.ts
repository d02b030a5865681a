// Reads and makes key blocks: the key material in the format in which it was sent, and its description (KMIP 2.1 sections 3 and 3.2).
import { upgradeAttribute } from './message/legacy-attribute.ts';
import { Refusal } from './refusal.ts';
import { ENUM } from './ttlv/enumeration.ts';
import { bytes, enumeration, integer, type Node, type Structure, structure, TYPE } from './ttlv/node.ts';
import { child, enumNameOf, integerOf, required, structureOf } from './ttlv/read.ts';
import { TAG } from './ttlv/tag.ts';

type CryptographicAlgorithm = keyof typeof ENUM.CryptographicAlgorithm;
type KeyFormatType = keyof typeof ENUM.KeyFormatType;

export interface KeyBlock {
  readonly format: KeyFormatType;
  /** Bytes, or the structure of a transparent format; wrapped bytes if `wrapping` is set. */
  readonly material: Uint8Array | Structure;
  readonly algorithm: CryptographicAlgorithm | undefined;
  /** Bits. */
  readonly length: number | undefined;
  /** The KeyWrappingData, if the material is wrapped. */
  readonly wrapping: Structure | undefined;
  /** Attributes inside the KeyValue. */
  readonly attributes: readonly Node[];
}

/** The description of the key in a key block. The key itself may be stored outside this server. @throws Refusal if the block is malformed */
export function keyBlockHead(content: Structure): Pick<KeyBlock, 'format' | 'algorithm' | 'length'> {
  const block = required(structureOf(content, TAG.KeyBlock), TAG.KeyBlock);
  return {
    format: required(enumNameOf(block, TAG.KeyFormatType, 'KeyFormatType'), TAG.KeyFormatType),
    algorithm: enumNameOf(block, TAG.CryptographicAlgorithm, 'CryptographicAlgorithm'),
    length: integerOf(block, TAG.CryptographicLength),
  };
}

/** Whether the key is stored outside this server: then the KeyBlock has no KeyValue (KMIP 1.2 section 3.41). */
export function lacksKeyValue(content: Structure): boolean {
  const block = structureOf(content, TAG.KeyBlock);
  return block !== undefined && !child(block, TAG.KeyValue);
}

/**
 * @param content SymmetricKey, PrivateKey, PublicKey, SecretData, SplitKey or PGPKey
 * @throws Refusal if the key block is malformed, KeyValueNotPresent if the key is stored outside this server
 */
export function keyBlockOf(content: Structure): KeyBlock {
  const block = required(structureOf(content, TAG.KeyBlock), TAG.KeyBlock);
  const value = child(block, TAG.KeyValue);
  if (!value)
    throw new Refusal(
      'KeyValueNotPresent',
      'this object has no key material here: the key is kept in an HSM, or elsewhere, as its KeyValue was not registered',
    );
  const material =
    value.type === TYPE.ByteString ? value : value.type === TYPE.Structure ? required(child(value, TAG.KeyMaterial), TAG.KeyMaterial) : undefined;
  if (!material || (material.type !== TYPE.ByteString && material.type !== TYPE.Structure))
    throw new Refusal('InvalidMessage', 'KeyMaterial must be a ByteString or a Structure');
  return {
    ...keyBlockHead(content),
    material: material.type === TYPE.ByteString ? material.value : material,
    wrapping: structureOf(block, TAG.KeyWrappingData),
    attributes: value.type === TYPE.Structure ? attributesOf(value) : [],
  };
}

function attributesOf(value: Structure): readonly Node[] {
  const attributes = child(value, TAG.Attributes);
  const inside = attributes?.type === TYPE.Structure ? attributes.value : value.value.filter(({ tag }) => tag === TAG.Attribute).flatMap(upgradeNode);
  return inside.filter(({ tag }) => tag !== TAG.AttributeIndex);
}

/** Converts attributes that a client of KMIP 1.x wrapped together with a key. Leaves out unknown ones. */
function upgradeNode(node: Node): Node[] {
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
  /** The KeyCompressionType of the point in the material; undefined for an uncompressed point, or if there is no point. */
  readonly compression?: number | undefined;
  /** Inside the KeyValue. */
  readonly attributes?: readonly Node[];
}

/** Makes an unwrapped KeyBlock. */
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

/** Makes the content of a new symmetric key. @param length CryptographicLength in bits; for DES keys it does not count the parity bits */
export function symmetricKey(
  material: Uint8Array,
  algorithm: CryptographicAlgorithm,
  length = material.length * 8,
  format: 'Raw' | 'TransparentSymmetricKey' = 'Raw',
): Structure {
  const value = format === 'Raw' ? material : [bytes(TAG.Key, material)];
  return structure(TAG.SymmetricKey, [keyBlock({ format, material: value, algorithm, length })]);
}
