// The content of a split key object: one part, the number of parts and the number needed to join them (KMIP 2.1 section 2.8).
import type { Share, SplitKeyMethod } from '../../../../crypto/secret-sharing/split.ts';
import { type KeyBlock, keyBlock, keyBlockOf, type NewKeyBlock } from '../../../../kmip/key-block.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { bigInteger, enumeration, integer, type Structure, structure } from '../../../../kmip/ttlv/node.ts';
import { bigOf, enumNameOf, integerOf, required } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { ManagedObject } from '../managed-object.ts';

interface SplitParameters {
  readonly method: SplitKeyMethod;
  readonly parts: number;
  readonly threshold: number;
  readonly primeField: bigint | undefined;
}

export interface StoredPart extends SplitParameters, Share {
  /** Format, algorithm and length describe the key that was split. */
  readonly block: KeyBlock;
}

/** Reads the members that describe the split, from a payload or a split key. @throws Refusal InvalidMessage if one is missing */
export function splitParametersOf(holder: Structure): SplitParameters {
  return {
    method: required(enumNameOf(holder, TAG.SplitKeyMethod, 'SplitKeyMethod'), TAG.SplitKeyMethod),
    parts: required(integerOf(holder, TAG.SplitKeyParts), TAG.SplitKeyParts),
    threshold: required(integerOf(holder, TAG.SplitKeyThreshold), TAG.SplitKeyThreshold),
    primeField: bigOf(holder, TAG.PrimeFieldSize),
  };
}

/** @param block of the key that was split; the part takes the place of its material */
export function splitKeyContent({ method, parts, threshold, primeField }: SplitParameters, part: Share, block: Omit<NewKeyBlock, 'material'>): Structure {
  return structure(TAG.SplitKey, [
    integer(TAG.SplitKeyParts, parts),
    integer(TAG.KeyPartIdentifier, part.identifier),
    integer(TAG.SplitKeyThreshold, threshold),
    enumeration(TAG.SplitKeyMethod, ENUM.SplitKeyMethod[method]),
    ...(primeField === undefined ? [] : [bigInteger(TAG.PrimeFieldSize, primeField)]),
    keyBlock({ ...block, material: part.material }),
  ]);
}

/** @throws Refusal InvalidObjectType for another kind of object, ObjectDestroyed, WrappingObjectDestroyed for a wrapped part, InvalidMessage */
export function storedPart(object: ManagedObject): StoredPart {
  if (object.type !== ENUM.ObjectType.SplitKey) throw new Refusal('InvalidObjectType', `a split key is needed, but ${object.id} is another kind of object`);
  if (!object.content) throw new Refusal('ObjectDestroyed', `${object.id} is destroyed`);
  const block = keyBlockOf(object.content);
  if (block.wrapping) throw new Refusal('WrappingObjectDestroyed', `${object.id} is stored wrapped; it cannot be joined without its wrapping key`);
  if (!(block.material instanceof Uint8Array)) throw new Refusal('KeyFormatTypeNotSupported', `${object.id} is in a transparent format and cannot be joined`);
  return {
    ...splitParametersOf(object.content),
    identifier: required(integerOf(object.content, TAG.KeyPartIdentifier), TAG.KeyPartIdentifier),
    material: block.material,
    block,
  };
}
