// Converts floating-point numbers for FF1, which encrypts the bits of a double as 16 hexadecimal digits (see fpe-description.ts).
import { CryptoError } from '../crypto-error.ts';

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const INFINITE = /^[+-]?inf(?:inity)?$/i;

/** @param text a decimal number, with or without an exponent, `inf` or `NaN` @returns 16 hexadecimal digits @throws CryptoError invalid */
export function doubleBits(text: string): string {
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(doubleOf(text));
  return bits.toString('hex');
}

function doubleOf(text: string): number {
  if (DECIMAL.test(text)) return Number(text);
  if (INFINITE.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (/^[+-]?nan$/i.test(text)) return Number.NaN;
  throw new CryptoError('invalid', 'the text must be a decimal number');
}

/** @param bits 16 hexadecimal digits @returns the shortest decimal number for this double, without an exponent */
export function decimalOf(bits: string): string {
  const value = Buffer.from(bits, 'hex').readDoubleBE();
  if (Number.isNaN(value)) return 'NaN';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  if (!Number.isFinite(value)) return `${sign}inf`;
  const [mantissa = '', exponent = '0'] = Math.abs(value).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const point = Number(exponent) + 1;
  if (point <= 0) return `${sign}${value === 0 ? '0' : `0.${'0'.repeat(-point)}${digits}`}`;
  if (point >= digits.length) return `${sign}${digits.padEnd(point, '0')}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
