// The integers of transparent key structures: all of them are positive.
import { Refusal } from '../refusal.ts';
import { tagName } from '../ttlv/names.ts';
import type { Structure } from '../ttlv/node.ts';
import { bigOf, required } from '../ttlv/read.ts';

/** OpenSSL takes no larger ones. The limit also bounds the time of our own arithmetic. */
const MAX_BITS = 16_384;
const TOO_LARGE = 1n << BigInt(MAX_BITS);

/** @throws Refusal InvalidField for zero and negative numbers, and for those that no key has */
export function positive(material: Structure, tag: number): bigint | undefined {
  const value = bigOf(material, tag);
  if (value !== undefined && value <= 0n) throw new Refusal('InvalidField', `KeyMaterial: ${tagName(tag)} must be positive`);
  if (value !== undefined && value >= TOO_LARGE) throw new Refusal('InvalidField', `KeyMaterial: ${tagName(tag)} must have at most ${MAX_BITS} bits`);
  return value;
}

/** @throws Refusal InvalidMessage where it is missing, InvalidField where it is not positive */
export const requiredPositive = (material: Structure, tag: number): bigint => required(positive(material, tag), tag);
