// Modular arithmetic for numbers that are public or used only once, at import: it does not run in constant time.

/** @param exponent not negative */
export function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let factor = ((base % modulus) + modulus) % modulus;
  for (const bit of exponent.toString(2).split('').reverse()) {
    if (bit === '1') result = (result * factor) % modulus;
    factor = (factor * factor) % modulus;
  }
  return result;
}

export function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/** @returns undefined if there is no inverse */
export function inverse(value: bigint, modulus: bigint): bigint | undefined {
  let [r, next] = [modulus, ((value % modulus) + modulus) % modulus];
  let [t, tNext] = [0n, 1n];
  while (next !== 0n) {
    const quotient = r / next;
    [r, next] = [next, r - quotient * next];
    [t, tNext] = [tNext, t - quotient * tNext];
  }
  if (r !== 1n) return undefined;
  return t < 0n ? t + modulus : t;
}

/** Big-endian, exactly `length` bytes. */
export const toBytes = (value: bigint, length: number): Buffer => Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex');

/** Big-endian; zero if there are no bytes. */
export const fromBytes = (bytes: Uint8Array): bigint =>
  bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`);
