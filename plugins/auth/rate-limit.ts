// The limit of sign-in requests per source address: a token bucket for each, one for the server.
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { sourceOf } from '../../kernel/http/source.ts';

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** Buckets kept; the least recently used go first, and a full bucket is as good as none. */
const MOST_BUCKETS = 100_000;

/** @returns a check that throws Fault AUTH_RATE_LIMITED for an address that asks too often */
export function createRateLimit(perSecond: number, burst: number, clock: Clock): (address: string) => void {
  const buckets = new Map<string, Bucket>();
  return (address) => {
    const source = sourceOf(address);
    const now = clock.monotonic();
    const bucket = buckets.get(source) ?? { tokens: burst, filledAt: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * perSecond);
    bucket.filledAt = now;
    buckets.delete(source);
    buckets.set(source, bucket);
    if (buckets.size > MOST_BUCKETS) buckets.delete(buckets.keys().next().value as string);
    if (bucket.tokens < 1) throw new Fault('AUTH_RATE_LIMITED');
    bucket.tokens -= 1;
  };
}
