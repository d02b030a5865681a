// Reads and writes RSA keys as transparent structures (KMIP 2.1 sections 3.7 and 3.8).
import type { KeyObject } from 'node:crypto';
import { contradictionIn, sayContradiction } from '../../crypto/key/rsa-contradiction.ts';
import type { RsaIntegers } from '../../crypto/key/rsa-integers.ts';
import { rsaIntegersOf, rsaPrivateKey, rsaPublicKey } from '../../crypto/key/rsa-key.ts';
import { bigInteger, type Node, type Structure } from '../ttlv/node.ts';
import { TAG } from '../ttlv/tag.ts';
import { positive, requiredPositive } from './transparent-integer.ts';

/** Members of the structure of a private key, in the order of KMIP's table. */
const PRIVATE: readonly (readonly [number, keyof RsaIntegers])[] = [
  [TAG.Modulus, 'modulus'],
  [TAG.PrivateExponent, 'privateExponent'],
  [TAG.PublicExponent, 'publicExponent'],
  [TAG.P, 'p'],
  [TAG.Q, 'q'],
  [TAG.PrimeExponentP, 'primeExponentP'],
  [TAG.PrimeExponentQ, 'primeExponentQ'],
  [TAG.CRTCoefficient, 'crtCoefficient'],
];
const PUBLIC: typeof PRIVATE = [
  [TAG.Modulus, 'modulus'],
  [TAG.PublicExponent, 'publicExponent'],
];

/** @throws Refusal, CryptoError, and errors of node:crypto for impossible values */
export function rsaFromStructure(kind: 'PrivateKey' | 'PublicKey', material: Structure): KeyObject {
  const modulus = requiredPositive(material, TAG.Modulus);
  if (kind === 'PublicKey') return rsaPublicKey({ modulus, publicExponent: requiredPositive(material, TAG.PublicExponent) });
  return rsaPrivateKey({ ...givenIn(material), modulus });
}

function givenIn(material: Structure): Partial<RsaIntegers> {
  const given: Partial<Record<keyof RsaIntegers, bigint>> = {};
  for (const [tag, name] of PRIVATE) {
    const value = positive(material, tag);
    if (value !== undefined) given[name] = value;
  }
  return given;
}

/** Which number of a structure does not follow from the others, although the key does. @param key of this structure @returns undefined if all do */
export function rsaStructureFlaw(material: Structure, key: KeyObject): string | undefined {
  const contradiction = contradictionIn({ ...(rsaIntegersOf(key) as RsaIntegers), ...givenIn(material) });
  return contradiction && sayContradiction(contradiction);
}

/** The members of KeyMaterial. */
export function rsaToStructure(key: KeyObject): Node[] {
  const integers = rsaIntegersOf(key);
  return (key.type === 'public' ? PUBLIC : PRIVATE).map(([tag, name]) => bigInteger(tag, integers[name] ?? 0n));
}
