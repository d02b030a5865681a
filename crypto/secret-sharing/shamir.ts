// Shamir's secret sharing: points of a random polynomial, and a value of the polynomial through some of them.
import type { Field } from './field.ts';

/** The values at 1 to `parts` of a polynomial of degree `threshold` - 1 that is `secret` at 0. */
export function sharePoints<T>(field: Field<T>, secret: T, parts: number, threshold: number): T[] {
  const coefficients = [secret, ...Array.from({ length: threshold - 1 }, () => field.random())];
  return Array.from({ length: parts }, (_, i) => {
    const x = field.element(i + 1);
    return coefficients.reduceRight((sum, coefficient) => field.add(field.multiply(sum, x), coefficient), field.zero);
  });
}

/**
 * Lagrange: what the values at `identifiers`, which differ, count in the value at `at` of the polynomial of least degree through them.
 * They are the same for all pieces of a secret.
 */
export function weights<T>(field: Field<T>, identifiers: readonly number[], at: number): T[] {
  const target = field.element(at);
  const xs = identifiers.map((identifier) => field.element(identifier));
  return xs.map((x, i) => {
    let [numerator, denominator] = [field.one, field.one];
    xs.forEach((other, j) => {
      if (j === i) return;
      numerator = field.multiply(numerator, field.subtract(target, other));
      denominator = field.multiply(denominator, field.subtract(x, other));
    });
    return field.multiply(numerator, field.inverse(denominator));
  });
}

/** The value that `weights` were made for. */
export function sumWeighted<T>(field: Field<T>, weights: readonly T[], values: readonly T[]): T {
  return weights.reduce((sum, weight, i) => field.add(sum, field.multiply(weight, values[i] ?? field.zero)), field.zero);
}
