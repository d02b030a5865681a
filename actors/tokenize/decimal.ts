// Exact decimal arithmetic on numbers as they were sent, and their printed form.
import { Decimal } from 'decimal.js';
import { refuse } from './refuse.ts';

/** Precise enough for exact sums and products of doubles, and of numbers of a thousand characters. Ties round away from zero. */
export const Exact = Decimal.clone({ precision: 2_700, rounding: Decimal.ROUND_HALF_UP });
/** For quotients, which may have infinitely many digits: more digits than a double can hold, and exact for every tie of integers. */
export const Quotient = Decimal.clone({ precision: 700, rounding: Decimal.ROUND_HALF_UP });

/** JSON text of the nearest double. */
export function floatText(value: number): string {
  return Number.isFinite(value) ? JSON.stringify(value) : refuse('the result is out of range');
}

/** JSON text of the nearest integer, with all of its digits. */
export function integerText(value: Decimal): string {
  if (!Number.isFinite(value.toNumber())) refuse('the result is out of range');
  return unsignedZero(value.toFixed(0));
}

/** Removes the sign of a number that was rounded to zero. */
export function unsignedZero(text: string): string {
  return /^-[0.]+$/.test(text) ? text.slice(1) : text;
}
