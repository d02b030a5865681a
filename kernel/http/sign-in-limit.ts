// The limit of sign-ins per source address, one for a server, whichever plugin signs in: a token bucket for each address.
import type { Clock } from '../clock.ts';
import { sourceOf } from './source.ts';

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** Buckets kept; the least recently used go first, and a full bucket is as good as none. */
const MOST_BUCKETS = 100_000;

/** Whether an address may try once more; it has then done so. */
export type SignInLimit = (address: string) => boolean;

/** A server has one clock. */
const limits = new WeakMap<Clock, SignInLimit>();

/** Makes the limit of the server with this clock, for those who ask by `signInLimit` too. */
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
    if (buckets.size > MOST_BUCKETS) buckets.delete(buckets.keys().next().value as string);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  };
  limits.set(clock, limit);
  return limit;
}

/** The limit that passwords sent in other ways than to /login count against as well. @throws Error where no plugin has made one */
export function signInLimit(clock: Clock): SignInLimit {
  const limit = limits.get(clock);
  if (!limit) throw new Error('the limit of sign-ins is not there yet');
  return limit;
}
