// Exact decimal arithmetic on numbers as they were sent, and how they are printed.
import { Decimal } from 'decimal.js';
import { refuse } from './refuse.ts';

/** Sums and products of doubles, and of texts a thousand characters long, are exact with as many digits. Ties go away from zero. */
export const Exact = Decimal.clone({ precision: 2_700, rounding: Decimal.ROUND_HALF_UP });
/** A quotient may have no end: more digits than a double can tell, and exact for every tie of integers. */
export const Quotient = Decimal.clone({ precision: 700, rounding: Decimal.ROUND_HALF_UP });

/** JSON text of the nearest double. */
export function floatText(value: number): string {
  return Number.isFinite(value) ? JSON.stringify(value) : refuse('the result is out of range');
}

/** JSON text of the nearest integer, every digit of it. */
export function integerText(value: Decimal): string {
  if (!Number.isFinite(value.toNumber())) refuse('the result is out of range');
  return unsignedZero(value.toFixed(0));
}

/** A number that has become nothing has no sign. */
export function unsignedZero(text: string): string {
  return /^-[0.]+$/.test(text) ? text.slice(1) : text;
}
