// Converts floating-point numbers for FF1, which encrypts the bits of a double as 16 hexadecimal digits (see fpe-description.ts).
import { CryptoError } from '../crypto-error.ts';

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const WHOLE = /^[+-]?\d+$/;
const INFINITE = /^[+-]?inf(?:inity)?$/i;

/** @param text a decimal number, with or without an exponent, `inf` or `NaN` @returns 16 hexadecimal digits @throws CryptoError invalid */
export function doubleBits(text: string): string {
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(doubleOf(text));
  return bits.toString('hex');
}

function doubleOf(text: string): number {
  if (DECIMAL.test(text)) return kept(text);
  if (INFINITE.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (/^[+-]?nan$/i.test(text)) return Number.NaN;
  throw new CryptoError('invalid', 'the text must be a decimal number');
}

/**
 * A fraction may be rounded. A whole number is often the name of something, and what is decrypted must not be the name of something else.
 * @throws CryptoError invalid for a decimal that a double turns into infinity or nothing, or a whole number that it turns into another
 */
function kept(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new CryptoError('invalid', 'the number is too large for a double');
  if (value === 0 && /^[^e]*[1-9]/i.test(text)) throw new CryptoError('invalid', 'the number is too small for a double');
  if (WHOLE.test(text) && isOther(text, value)) throw new CryptoError('invalid', 'the number has more digits than a double holds; encrypt it as an integer');
  return value;
}

/** Both the exact digits of a double and its shortest ones mean it. */
function isOther(text: string, value: number): boolean {
  const digits = BigInt(text.replace(/^[+-]/, ''));
  const size = Math.abs(value);
  return digits !== BigInt(size) && digits !== BigInt(plain(size));
}

/** @param bits 16 hexadecimal digits @returns the shortest decimal number for this double, without an exponent */
export function decimalOf(bits: string): string {
  const value = Buffer.from(bits, 'hex').readDoubleBE();
  if (Number.isNaN(value)) return 'NaN';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return Number.isFinite(value) ? sign + plain(Math.abs(value)) : `${sign}inf`;
}

/** The shortest digits of a positive number, or of zero. */
function plain(value: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const point = Number(exponent) + 1;
  if (point <= 0) return value === 0 ? '0' : `0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return digits.padEnd(point, '0');
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
}
