// All mutants of some files, or so many of them by a seed: the same seed and sources give the same ones.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './mutant.ts';
import { mutationsOf } from './mutations.ts';

export function mutantsOf(root: string, files: readonly string[]): Mutant[] {
  return files.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    return mutationsOf(source).map((mutation) => ({ ...mutation, file, source, line: source.slice(0, mutation.start).split('\n').length }));
  });
}

/** Fisher and Yates, by a generator of 32 bits (mulberry32); in the order of the sources again. */
export function sampleOf<T>(all: readonly T[], count: number, seed: number): T[] {
  const order = all.map((_, index) => index);
  let state = seed >>> 0;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
  for (let last = order.length - 1; last > 0; last--) {
    const other = below(last + 1);
    [order[last], order[other]] = [order[other] as number, order[last] as number];
  }
  return order
    .slice(0, count)
    .sort((one, other) => one - other)
    .map((index) => all[index] as T);
}
