// Random numbers that are the same for the same seed (mulberry32), so that a run can be repeated.

export interface Random {
  /** From 0 to 1, without 1. */
  next(): number;
  /** A whole number from 0 to `count`, without it. */
  below(count: number): number;
  pick<T>(from: readonly T[]): T;
  /** @returns the same in another order */
  shuffled<T>(from: readonly T[]): T[];
}

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
    pick: (from) => from[below(from.length)] as (typeof from)[number],
    shuffled(from) {
      const all = [...from];
      for (let at = all.length - 1; at > 0; at--) {
        const other = below(at + 1);
        [all[at], all[other]] = [all[other] as (typeof all)[number], all[at] as (typeof all)[number]];
      }
      return all;
    },
  };
}
