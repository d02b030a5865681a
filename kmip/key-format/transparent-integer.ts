// Reads the integers of transparent key structures, all of which must be positive.
import { Refusal } from '../refusal.ts';
import { tagName } from '../ttlv/names.ts';
import type { Structure } from '../ttlv/node.ts';
import { bigOf, required } from '../ttlv/read.ts';

/** OpenSSL does not accept larger integers. The limit also bounds the time of our own arithmetic. */
const MAX_BITS = 16_384;
const TOO_LARGE = 1n << BigInt(MAX_BITS);

/** @throws Refusal InvalidField for zero, negative numbers, and numbers that are too large for any key */
export function positive(material: Structure, tag: number): bigint | undefined {
  const value = bigOf(material, tag);
  if (value !== undefined && value <= 0n) throw new Refusal('InvalidField', `KeyMaterial: ${tagName(tag)} must be positive`);
  if (value !== undefined && value >= TOO_LARGE) throw new Refusal('InvalidField', `KeyMaterial: ${tagName(tag)} must have at most ${MAX_BITS} bits`);
  return value;
}

/** @throws Refusal InvalidMessage if the integer is missing, InvalidField if it is not positive or too large */
export const requiredPositive = (material: Structure, tag: number): bigint => required(positive(material, tag), tag);
