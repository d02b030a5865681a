// Shamir's secret sharing: makes points on a random polynomial, and computes a value of the polynomial from some of these points.
import type { Field } from './field.ts';

/** The values at 1 to `parts` of a random polynomial of degree `threshold` - 1 whose value at 0 is `secret`. */
export function sharePoints<T>(field: Field<T>, secret: T, parts: number, threshold: number): T[] {
  const coefficients = [secret, ...Array.from({ length: threshold - 1 }, () => field.random())];
  return Array.from({ length: parts }, (_, i) => {
    const x = field.element(i + 1);
    return coefficients.reduceRight((sum, coefficient) => field.add(field.multiply(sum, x), coefficient), field.zero);
  });
}

/**
 * Lagrange interpolation: the weight of the value at each of the `identifiers`, which must differ, for the value at `at` of the polynomial
 * of the lowest degree through them. The weights are the same for all pieces of a secret.
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

/** The value of the polynomial at the position that `weights` were computed for. */
export function sumWeighted<T>(field: Field<T>, weights: readonly T[], values: readonly T[]): T {
  return weights.reduce((sum, weight, i) => field.add(sum, field.multiply(weight, values[i] ?? field.zero)), field.zero);
}
