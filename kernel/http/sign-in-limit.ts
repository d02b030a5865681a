// Limits sign-in attempts per source address with token buckets. All plugins of a server share one limit.
import type { Clock } from '../clock.ts';
import { sourceOf } from './source.ts';

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** Above this number the least recently used bucket is dropped. */
const MAX_BUCKETS = 100_000;

/** Counts an attempt. @returns whether the address may make it */
export type SignInLimit = (address: string) => boolean;

/** Keyed by clock, because each server has exactly one. */
const limits = new WeakMap<Clock, SignInLimit>();

/** Creates the limit of the server with this clock. Others get it from `signInLimit`. */
export function createSignInLimit(perSecond: number, burst: number, clock: Clock): SignInLimit {
  const buckets = new Map<string, Bucket>();
  const limit: SignInLimit = (address) => {
    const source = sourceOf(address);
    const now = clock.monotonic();
    const bucket = buckets.get(source) ?? { tokens: burst, filledAt: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * perSecond);
    bucket.filledAt = now;
    buckets.delete(source);
    buckets.set(source, bucket);
    if (buckets.size > MAX_BUCKETS) buckets.delete(buckets.keys().next().value as string);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  };
  limits.set(clock, limit);
  return limit;
}

/** The limit that also applies to passwords that are not sent to /login. @throws Error if no plugin has created it */
export function signInLimit(clock: Clock): SignInLimit {
  const limit = limits.get(clock);
  if (!limit) throw new Error('the limit of sign-ins does not exist yet: call createSignInLimit first');
  return limit;
}
