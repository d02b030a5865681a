// The text forms of values that JSON and XML share; every reader returns undefined if it cannot read the text.
import { bigIntegerFromHex } from './big-integer.ts';
import { secondsFrom, secondsOf } from './date-time.ts';
import type { Names } from './names.ts';

const HEX = /^0[xX][0-9a-fA-F]+$/;
const DECIMAL = /^-?[0-9]+$/;
/** The time to read a decimal number grows faster than its length, so it is limited; hexadecimal needs no limit. */
const MAX_DECIMAL_DIGITS = 2_500;

/** From this many digits on, native code is faster, although it needs a copy. */
const LONG = 1024;

/** Reads hexadecimal digits in either case, without a prefix. @returns bytes that own their buffer */
export function bytesOfHex(digits: string): Uint8Array | undefined {
  const bytes = Buffer.from(digits, 'hex');
  // The decoder stops at the first character that is not a digit, and reduces characters beyond ASCII to their low byte.
  return bytes.length * 2 === digits.length && Buffer.byteLength(digits) === digits.length ? new Uint8Array(bytes) : undefined;
}

/** Like `bytesOfHex`, but reads ASCII digits from part of a buffer. */
export function bytesOfDigits(text: Buffer, from: number, to: number): Uint8Array | undefined {
  if (to - from > LONG) return bytesOfHex(text.toString('latin1', from, to));
  const length = (to - from) / 2;
  if (length !== length >>> 0) return undefined;
  const bytes = new Uint8Array(length);
  let bits = 0;
  for (let index = 0, at = from; index < length; index++, at += 2) {
    const value = ((DIGITS[text[at] as number] as number) << 4) | (DIGITS[text[at + 1] as number] as number);
    bits |= value;
    bytes[index] = value;
  }
  return bits < 0x100 ? bytes : undefined;
}

/** The value of a hexadecimal digit by its character code; 0x100 if the character is not a digit. */
const DIGITS = Uint16Array.from({ length: 256 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 0x100 : value;
});

/** Upper-case digits. A few bytes are written here: Node has lower-case digits only, whose translation makes a second text. */
export function hexOfBytes(bytes: Uint8Array): string {
  if (bytes.length > WRITTEN) return bufferOver(bytes).toString('hex').toUpperCase();
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    written[2 * index] = UPPER[byte >> 4] as number;
    written[2 * index + 1] = UPPER[byte & 0xf] as number;
  }
  const text = written.toString('latin1', 0, 2 * bytes.length);
  // They may be those of a key, which would otherwise stay here until the next message.
  written.fill(0, 0, 2 * bytes.length);
  return text;
}

const WRITTEN = 128;
const written = Buffer.alloc(2 * WRITTEN);
const UPPER = Buffer.from('0123456789ABCDEF');

/** The same bytes as a Buffer: themselves, if they are one. */
export function bufferOver(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Decimal, or hexadecimal after `0x`: two's complement if the digits fill a multiple of 8 bytes, otherwise unsigned. */
export function bigOf(text: string): bigint | undefined {
  if (HEX.test(text)) return bigIntegerFromHex(text.slice(2));
  return DECIMAL.test(text) && text.length <= MAX_DECIMAL_DIGITS ? BigInt(text) : undefined;
}

/** Like `bigOf`, for signed numbers of 64 bits. */
export function longOf(text: string): bigint | undefined {
  return text.length > 20 ? undefined : asLong(bigOf(text));
}

export function asLong(value: bigint | undefined): bigint | undefined {
  return value !== undefined && BigInt.asIntN(64, value) === value ? value : undefined;
}

/** Decimal or hexadecimal, signed, 32 bits; eight hexadecimal digits are two's complement. */
export function integerOf(text: string): number | undefined {
  if (HEX.test(text) && text.length === 10) return Number(text) | 0;
  const value = longOf(text);
  return value === undefined ? undefined : asInteger(Number(value));
}

export function asInteger(value: number): number | undefined {
  return (value | 0) === value ? value | 0 : undefined;
}

/** Decimal or hexadecimal, unsigned, 32 bits. */
export function unsignedOf(text: string): number | undefined {
  const value = longOf(text);
  return value === undefined ? undefined : asUnsigned(Number(value));
}

export function asUnsigned(value: number): number | undefined {
  return value >>> 0 === value ? value >>> 0 : undefined;
}

/** `true`, `false`, `1`, `0` or either in hexadecimal. */
export function booleanOf(text: string): boolean | undefined {
  const lower = text.toLowerCase();
  if (lower === 'true' || lower === 'false') return lower === 'true';
  const value = longOf(text);
  return value === 0n || value === 1n ? value === 1n : undefined;
}

/** Seconds since the epoch, from an RFC 3339 date or a number of seconds. */
export function dateOf(text: string): number | undefined {
  const seconds = secondsOf(text) ?? longOf(text);
  return typeof seconds === 'bigint' ? secondsFrom(seconds) : seconds;
}

/** A code by its name or number. @param names undefined if the enumeration is not known: then only a number is accepted */
export function codeOf(text: string, names: Names | undefined): number | undefined {
  return names?.code(text) ?? unsignedOf(text);
}

/** A mask: a number, or names of bits separated by spaces or `|`. */
export function maskOf(text: string, names: Names): number | undefined {
  const number = integerOf(text);
  if (number !== undefined) return number;
  let mask = 0;
  for (const name of text.split(/[ |]+/)) {
    if (name === '') continue;
    const bit = names.code(name) ?? integerOf(name);
    if (bit === undefined) return undefined;
    mask |= bit;
  }
  return mask;
}

/** The names of the bits, separated by spaces; undefined if a bit has no name, or if no bit is set. */
export function maskText(mask: number, names: Names): string | undefined {
  const found: string[] = [];
  let rest = mask;
  for (const [bit, name] of names.entries()) {
    if ((mask & bit) === 0) continue;
    found.push(name);
    rest &= ~bit;
  }
  return rest === 0 && found.length > 0 ? found.join(' ') : undefined;
}
