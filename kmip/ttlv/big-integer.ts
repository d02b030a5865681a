// Integers of any length in two's complement: as bytes and as hexadecimal digits, a multiple of 8 bytes each (KMIP specification 2.1 section 10.1.4).

/** How many bytes an integer takes, its sign bit and the padding to 8 included. */
export function bigIntegerBytes(value: bigint): number {
  const magnitude = (value < 0n ? ~value : value).toString(16);
  // The sign needs a bit of its own: a leading digit of 8 or more has none left for it.
  const digits = magnitude.length + (magnitude.charCodeAt(0) >= 0x38 ? 1 : 0);
  return Math.ceil(digits / 16) * 8;
}

/** Upper-case digits without a prefix. @param bytes the width; by default the least that holds the value */
export function bigIntegerHex(value: bigint, bytes: number = bigIntegerBytes(value)): string {
  return BigInt.asUintN(bytes * 8, value)
    .toString(16)
    .toUpperCase()
    .padStart(bytes * 2, '0');
}

/** Digits that fill whole 8 bytes are two's complement; fewer are a number without a sign. */
export function bigIntegerFromHex(digits: string): bigint {
  const value = BigInt(`0x${digits}`);
  return digits.length % 16 === 0 ? BigInt.asIntN(digits.length * 4, value) : value;
}

export function readBigInteger(bytes: Buffer, at: number, length: number): bigint {
  return bigIntegerFromHex(bytes.toString('hex', at, at + length));
}

/** @returns how many bytes were written */
export function writeBigInteger(value: bigint, bytes: Buffer, at: number): number {
  return bytes.write(bigIntegerHex(value), at, 'hex');
}
