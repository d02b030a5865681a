// Reads and writes integers of any length in two's complement, padded to a multiple of 8 bytes (KMIP specification 2.1 section 10.1.4).

/** The number of bytes that an integer takes, with its sign bit and its padding to a multiple of 8. */
export function bigIntegerBytes(value: bigint): number {
  const magnitude = (value < 0n ? ~value : value).toString(16);
  // The sign needs a bit of its own, and a leading digit of 8 or more uses all four.
  const digits = magnitude.length + (magnitude.charCodeAt(0) >= 0x38 ? 1 : 0);
  return Math.ceil(digits / 16) * 8;
}

/** Upper-case digits without a prefix. @param bytes the width; by default the smallest that holds the value */
export function bigIntegerHex(value: bigint, bytes: number = bigIntegerBytes(value)): string {
  return BigInt.asUintN(bytes * 8, value)
    .toString(16)
    .toUpperCase()
    .padStart(bytes * 2, '0');
}

/** Reads digits as two's complement if they fill a multiple of 8 bytes, otherwise as an unsigned number. */
export function bigIntegerFromHex(digits: string): bigint {
  const value = BigInt(`0x${digits}`);
  return digits.length % 16 === 0 ? BigInt.asIntN(digits.length * 4, value) : value;
}

export function readBigInteger(bytes: Buffer, at: number, length: number): bigint {
  return bigIntegerFromHex(bytes.toString('hex', at, at + length));
}

/** @returns the number of bytes written */
export function writeBigInteger(value: bigint, bytes: Buffer, at: number): number {
  return bytes.write(bigIntegerHex(value), at, 'hex');
}
