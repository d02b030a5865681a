// Limits sign-in attempts per source address with token buckets, over all threads. All plugins of a server share one limit.
import type { Clock } from '../../clock.ts';
import { locked, type Regions } from '../../shared/region.ts';
import { Rows, WORDS_PER_ROW } from '../../shared/rows.ts';
import { sourceOf } from '../connection/source.ts';

/** Sources that are remembered. Beyond that, the least recently used of a few is forgotten. */
const ROWS = 131_072;

/** Counts an attempt. @returns whether the address may make it */
export type SignInLimit = (address: string) => boolean;

interface Surroundings {
  readonly clock: Clock;
  /** Memory of all threads that serve requests. */
  readonly shared: Regions;
}

/** Keyed by clock, because each server has exactly one in each thread. */
const limits = new WeakMap<Clock, SignInLimit>();

/** Creates the limit of the server with this clock. Others get it from `signInLimit`. */
export function createSignInLimit(perSecond: number, burst: number, { clock, shared }: Surroundings): SignInLimit {
  const region = shared.open('sign-in', { numbers: 2 * ROWS, words: WORDS_PER_ROW * ROWS });
  const rows = new Rows(region.words, region.key);
  const tokens = region.numbers.subarray(0, ROWS);
  const filledAt = region.numbers.subarray(ROWS);
  const oldest = (first: number, count: number) => {
    let row = first;
    for (let other = first + 1; other < first + count; other += 1) if ((filledAt[other] as number) < (filledAt[row] as number)) row = other;
    rows.hide(row);
    return row;
  };
  const bucketOf = (source: string, now: number) => {
    const id = rows.idOf(source);
    const known = rows.find(id);
    if (known >= 0) return known;
    const row = rows.add(id, oldest);
    tokens[row] = burst;
    filledAt[row] = now;
    rows.show(row, id);
    return row;
  };
  const limit: SignInLimit = (address) =>
    locked(region, () => {
      const now = clock.monotonic();
      const row = bucketOf(sourceOf(address), now);
      const left = Math.min(burst, (tokens[row] as number) + ((now - (filledAt[row] as number)) / 1000) * perSecond);
      // The time first: a thread that ends in between has given nobody a token.
      filledAt[row] = now;
      tokens[row] = left < 1 ? left : left - 1;
      return left >= 1;
    });
  limits.set(clock, limit);
  return limit;
}

/** The limit that also applies to passwords that are not sent to /login. @throws Error if no plugin has created it */
export function signInLimit(clock: Clock): SignInLimit {
  const limit = limits.get(clock);
  if (!limit) throw new Error('the limit of sign-ins does not exist yet: call createSignInLimit first');
  return limit;
}
