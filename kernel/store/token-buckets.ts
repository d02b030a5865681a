// Token buckets, one for each of many keys: how often something may happen at once, and over time. Of one thread.

/** Tokens of a full bucket, and those that it gets in a second. */
export interface BucketLimit {
  readonly burst: number;
  readonly perSecond: number;
}

export interface Bucket {
  tokens: number;
  /** Milliseconds of monotonic time. */
  filledAt: number;
}

export function fill(bucket: Bucket, { burst, perSecond }: BucketLimit, monotonic: number): void {
  const elapsed = Math.max(0, monotonic - bucket.filledAt) / 1_000;
  bucket.tokens = Math.min(burst, bucket.tokens + elapsed * perSecond);
  bucket.filledAt = monotonic;
}

const MAX_BUCKETS = 10_000;

export class Buckets {
  readonly #limit: BucketLimit;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limit: BucketLimit) {
    this.#limit = limit;
  }

  /** Removing the bucket of a key that was not seen for long is harmless: it would be full again. @param monotonic milliseconds @returns the bucket of the key, filled */
  of(key: string, monotonic: number): Bucket {
    const bucket = this.#buckets.get(key) ?? { tokens: this.#limit.burst, filledAt: monotonic };
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > MAX_BUCKETS) this.#buckets.delete(this.#buckets.keys().next().value as string);
    fill(bucket, this.#limit, monotonic);
    return bucket;
  }
}
