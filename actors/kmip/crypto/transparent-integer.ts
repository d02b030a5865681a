// The integers of transparent key structures: all of them are positive.
import { Refusal } from '../refusal.ts';
import { tagName } from '../ttlv/names.ts';
import type { Structure } from '../ttlv/node.ts';
import { bigOf, required } from '../ttlv/read.ts';

/** @throws Refusal InvalidField for zero and negative numbers */
export function positive(material: Structure, tag: number): bigint | undefined {
  const value = bigOf(material, tag);
  if (value !== undefined && value <= 0n) throw new Refusal('InvalidField', `KeyMaterial: ${tagName(tag)} is not positive`);
  return value;
}

/** @throws Refusal InvalidMessage where it is missing, InvalidField where it is not positive */
export const requiredPositive = (material: Structure, tag: number): bigint => required(positive(material, tag), tag);
