// A list of values in a statement. Each text of a statement is prepared, so lists of different lengths share few texts.
import type { SqlValue } from './store.ts';

/** Values per statement. */
export const CHUNK = 512;

/** @param values at least one @param first the number of the first parameter @returns the placeholders and their values, filled up to a power of two */
export function valueList<T extends SqlValue>(values: readonly T[], first: number): { readonly sql: string; readonly params: readonly T[] } {
  const params = Array.from({ length: 2 ** Math.ceil(Math.log2(values.length)) }, (_, index) => values[index] ?? (values[0] as T));
  return { sql: params.map((_, index) => `$${first + index}`).join(', '), params };
}
