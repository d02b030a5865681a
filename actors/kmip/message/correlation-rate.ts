// Limits the lines that a caller adds to the log by naming its messages: they cost the caller nothing, and must not fill the disk.
import { type Bucket, Buckets } from '../../../kernel/store/token-buckets.ts';

/** Messages of one caller at once, and a second after that: what people and applications send, and at most 350 MB of log a day. */
const LIMIT = { burst: 500, perSecond: 10 };

/** Of one thread. */
export class CorrelationRate {
  readonly #callers = new Buckets(LIMIT);
  /** Messages without a line since the last one. */
  readonly #unlogged = new WeakMap<Bucket, number>();

  /** @param now milliseconds of monotonic time @returns how many messages of the caller had no line since the last that had one; undefined if this one gets none */
  admit(caller: string, now: number): number | undefined {
    const bucket = this.#callers.of(caller, now);
    const unlogged = this.#unlogged.get(bucket) ?? 0;
    if (bucket.tokens < 1) {
      this.#unlogged.set(bucket, unlogged + 1);
      return undefined;
    }
    bucket.tokens -= 1;
    this.#unlogged.delete(bucket);
    return unlogged;
  }
}
