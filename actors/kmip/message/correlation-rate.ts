// Limits the lines that a caller adds to the log by naming its messages: they cost the caller nothing, and must not fill the disk.

/** Messages of one caller at once, and a second after that: what people and applications send, and at most 350 MB of log a day. */
const BURST = 500;
const PER_SECOND = 10;
/** A caller that was not seen for long has its burst again anyhow. */
const MAX_CALLERS = 10_000;

interface Bucket {
  lines: number;
  /** Milliseconds of monotonic time. */
  filledAt: number;
  /** Messages without a line since the last one. */
  unlogged: number;
}

/** Of one thread. */
export class CorrelationRate {
  readonly #callers = new Map<string, Bucket>();

  /** @param now milliseconds of monotonic time @returns how many messages of the caller had no line since the last that had one; undefined if this one gets none */
  admit(caller: string, now: number): number | undefined {
    const bucket = this.#bucketOf(caller, now);
    bucket.lines = Math.min(BURST, bucket.lines + (Math.max(0, now - bucket.filledAt) / 1_000) * PER_SECOND);
    bucket.filledAt = now;
    if (bucket.lines < 1) {
      bucket.unlogged += 1;
      return undefined;
    }
    bucket.lines -= 1;
    const { unlogged } = bucket;
    bucket.unlogged = 0;
    return unlogged;
  }

  #bucketOf(caller: string, now: number): Bucket {
    const bucket = this.#callers.get(caller) ?? { lines: BURST, filledAt: now, unlogged: 0 };
    this.#callers.delete(caller);
    this.#callers.set(caller, bucket);
    if (this.#callers.size > MAX_CALLERS) this.#callers.delete(this.#callers.keys().next().value as string);
    return bucket;
  }
}
