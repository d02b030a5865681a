// The finite fields for split keys: GF(2^8), GF(2^16) as its extension, and integers modulo a prime (KMIP 2.1 section 13.1).
import { randomBytes, randomInt } from 'node:crypto';

export interface Field<T> {
  readonly zero: T;
  readonly one: T;
  /** In characteristic 2 this is the same as subtraction. */
  add(a: T, b: T): T;
  subtract(a: T, b: T): T;
  multiply(a: T, b: T): T;
  /** For any element except zero. */
  inverse(a: T): T;
  random(): T;
  /** The element for a key part identifier. */
  element(identifier: number): T;
}

/** x^8 + x^4 + x^3 + x^2 + 1, "285" in the specification since 2.0; 1.x uses the polynomial of FIPS 197. */
const REDUCTION = 0x1d;
/** m = x^5 + x^4 + x^3 + x. */
const M = 0x3a;

/** Uses no tables and no branches, because their timing would reveal the secret. */
function multiply8(a: number, b: number): number {
  let product = 0;
  for (let bit = 0, shifted = a; bit < 8; bit++) {
    product ^= shifted & -((b >> bit) & 1);
    shifted = ((shifted << 1) & 0xff) ^ (REDUCTION & -(shifted >> 7));
  }
  return product;
}

/** The inverse of a is a^254. */
function inverse8(a: number): number {
  let result = 1;
  let square = a;
  for (let i = 1; i < 8; i++) {
    square = multiply8(square, square);
    result = multiply8(result, square);
  }
  return result;
}

const xor = (a: number, b: number) => a ^ b;
const binary = { zero: 0, one: 1, add: xor, subtract: xor, element: (identifier: number) => identifier };

export const GF_2_8: Field<number> = { ...binary, multiply: multiply8, inverse: inverse8, random: () => randomInt(256) };

/** GF(2^8)[y]/(y^2 + y + m). The element uy + v is the number with high byte u and low byte v. */
export const GF_2_16: Field<number> = {
  ...binary,
  multiply(a, b) {
    const [r, s, u, v] = [a >> 8, a & 0xff, b >> 8, b & 0xff];
    const sv = multiply8(s, v);
    return ((multiply8(r ^ s, u ^ v) ^ sv) << 8) | (multiply8(multiply8(r, u), M) ^ sv);
  },
  inverse(a) {
    const [u, v] = [a >> 8, a & 0xff];
    const d = inverse8(multiply8(u ^ v, v) ^ multiply8(M, multiply8(u, u)));
    return (multiply8(u, d) << 8) | multiply8(u ^ v, d);
  },
  random: () => randomInt(65_536),
};

export function primeField(prime: bigint): Field<bigint> {
  const reduce = (a: bigint) => ((a % prime) + prime) % prime;
  // One and a half times the length of the prime, plus 8 bytes, makes the remainder practically uniform.
  const bytes = Math.ceil((prime.toString(16).length / 2) * 1.5) + 8;
  return {
    ...{ zero: 0n, one: 1n, add: (a, b) => (a + b) % prime, subtract: (a, b) => reduce(a - b), multiply: (a, b) => (a * b) % prime },
    inverse: (a) => inverseModulo(a, prime),
    random: () => BigInt(`0x${randomBytes(bytes).toString('hex')}`) % prime,
    element: BigInt,
  };
}

/** Uses the extended Euclidean algorithm. */
function inverseModulo(a: bigint, prime: bigint): bigint {
  let [previous, rest, before, factor] = [prime, a, 0n, 1n];
  while (rest > 0n) {
    const quotient = previous / rest;
    [previous, rest] = [rest, previous - quotient * rest];
    [before, factor] = [factor, before - quotient * factor];
  }
  return ((before % prime) + prime) % prime;
}
