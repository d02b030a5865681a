// RSA keys between their integers, KMIP's transparent structures and PKCS#1 (RFC 8017 appendix A.1, KMIP 2.1 sections 3.7 and 3.8).
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { bigInteger, type Node, type Structure } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { DER, inside, readBits, readElement, readUnsigned, sequence, unsigned } from '../der.ts';
import { completeRsa, type RsaIntegers } from './rsa-integers.ts';
import { positive, requiredPositive } from './transparent-integer.ts';

const WHAT = 'KeyMaterial';

/** Members of the private structure, in the order of KMIP's table. */
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

/** In the order of PKCS#1. */
const PKCS1_ORDER: readonly (keyof RsaIntegers)[] = [
  'modulus',
  'publicExponent',
  'privateExponent',
  'p',
  'q',
  'primeExponentP',
  'primeExponentQ',
  'crtCoefficient',
];

/** @throws Refusal MissingData or InvalidField; what node:crypto throws for impossible values */
export function rsaFromStructure(kind: 'PrivateKey' | 'PublicKey', material: Structure): KeyObject {
  const modulus = requiredPositive(material, TAG.Modulus);
  if (kind === 'PublicKey') {
    const key = sequence(unsigned(modulus), unsigned(requiredPositive(material, TAG.PublicExponent)));
    return createPublicKey({ key, format: 'der', type: 'pkcs1' });
  }
  const given: Partial<Record<keyof RsaIntegers, bigint>> = {};
  for (const [tag, name] of PRIVATE) {
    const value = positive(material, tag);
    if (value !== undefined) given[name] = value;
  }
  const complete = completeRsa({ ...given, modulus });
  const key = sequence(unsigned(0n), ...PKCS1_ORDER.map((name) => unsigned(complete[name])));
  try {
    return createPrivateKey({ key, format: 'der', type: 'pkcs1' });
  } finally {
    key.fill(0);
  }
}

/** DER of PKCS#1. OpenSSL does not write a public key in it that was read from it: what SubjectPublicKeyInfo holds is the same. */
export function rsaToPkcs1(key: KeyObject): Buffer {
  if (key.type === 'private') return key.export({ format: 'der', type: 'pkcs1' });
  const spki = readElement(key.export({ format: 'der', type: 'spki' }), WHAT);
  return readBits(inside(spki, DER.sequence, WHAT)[1], WHAT);
}

/** Children of KeyMaterial. */
export function rsaToStructure(key: KeyObject): Node[] {
  const integers = inside(readElement(rsaToPkcs1(key), WHAT), DER.sequence, WHAT).map((each) => readUnsigned(each, WHAT));
  if (key.type === 'public') {
    const [modulus = 0n, exponent = 0n] = integers;
    return [bigInteger(TAG.Modulus, modulus), bigInteger(TAG.PublicExponent, exponent)];
  }
  return PRIVATE.map(([tag, name]) => bigInteger(tag, integers[PKCS1_ORDER.indexOf(name) + 1] ?? 0n));
}
