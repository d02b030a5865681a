// How many rows of refusals a stream takes: refused requests cost their sender nothing, and must not fill the disk. What is left out is counted.
import { sourceOf } from '../http/source.ts';
import type { AuditEvent } from './audit.ts';

/**
 * Of one source, an IPv4 address or an IPv6 network: more than all failures that a lockout counts (50 from everywhere), and as many as a
 * company behind one address makes on a bad morning. Then one in five seconds, which is 17 000 a day or some 7 MB.
 */
const SOURCE = { burst: 200, perSecond: 0.2 };
/** Of all sources of a stream together: 86 400 rows a day, some 35 MB, whatever a botnet does. */
const TOTAL = { burst: 2_000, perSecond: 1 };
const MAX_BUCKETS = 10_000;
/** Names in a sum. */
const MAX_NAMED = 10;

interface Bucket {
  tokens: number;
  /** Milliseconds of monotonic time. */
  filledAt: number;
}

interface Sum {
  /** Milliseconds since the epoch. */
  readonly since: number;
  rows: number;
  readonly events: Map<string, number>;
  readonly sources: Map<string, number>;
}

interface Now {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly monotonic: number;
}

/** Every change can be taken back: a transaction that is undone, or run again, has written nothing. */
export class RefusalRate {
  readonly #buckets = new Map<string, Bucket>();
  readonly #total: Bucket = { tokens: TOTAL.burst, filledAt: 0 };
  readonly #undo: (() => void)[] = [];
  #sum: Sum | undefined;

  /** The place to go back to. */
  get mark(): number {
    return this.#undo.length;
  }

  restore(mark: number): void {
    while (this.#undo.length > mark) this.#undo.pop()?.();
  }

  /** What was done stays. */
  settle(): void {
    this.#undo.length = 0;
  }

  /** Changes are always written; a refusal as long as its source and all together have not had too many. What is not written is counted. */
  admits({ event, outcome, source = '' }: AuditEvent, { time, monotonic }: Now): boolean {
    if (outcome === 'success') return true;
    const from = sourceOf(source);
    const own = this.#bucketOf(from, monotonic);
    fill(own, SOURCE, monotonic);
    fill(this.#total, TOTAL, monotonic);
    if (own.tokens < 1 || this.#total.tokens < 1) {
      this.#count(event, from, time);
      return false;
    }
    for (const bucket of [own, this.#total]) {
      bucket.tokens -= 1;
      this.#undo.push(() => {
        bucket.tokens += 1;
      });
    }
    return true;
  }

  get hasSum(): boolean {
    return this.#sum !== undefined;
  }

  /** The row that stands for those that were left out since the last; undefined where none was. */
  takeSum(): AuditEvent | undefined {
    const sum = this.#sum;
    if (!sum) return undefined;
    this.#sum = undefined;
    this.#undo.push(() => {
      this.#sum = sum;
    });
    const [first, ...others] = sum.sources.keys();
    const reason = `${listed(sum.events)}; from ${listed(sum.sources)}; since ${new Date(sum.since).toISOString()}`;
    return { event: 'audit.suppressed', outcome: 'success', source: others.length === 0 ? first : undefined, target: `${sum.rows} rows`, reason };
  }

  /** Of a source that was not seen for long there is none, or a full one, which is the same. */
  #bucketOf(source: string, monotonic: number): Bucket {
    const bucket = this.#buckets.get(source) ?? { tokens: SOURCE.burst, filledAt: monotonic };
    this.#buckets.delete(source);
    this.#buckets.set(source, bucket);
    if (this.#buckets.size > MAX_BUCKETS) this.#buckets.delete(this.#buckets.keys().next().value as string);
    return bucket;
  }

  #count(event: string, source: string, time: number): void {
    const before = this.#sum;
    const sum: Sum = before ?? { since: time, rows: 0, events: new Map(), sources: new Map() };
    this.#sum = sum;
    sum.rows += 1;
    const uncount = [add(sum.events, event), add(sum.sources, source)];
    this.#undo.push(() => {
      sum.rows -= 1;
      for (const undo of uncount) undo();
      this.#sum = before;
    });
  }
}

function fill(bucket: Bucket, { burst, perSecond }: typeof SOURCE, monotonic: number): void {
  const elapsed = Math.max(0, monotonic - bucket.filledAt) / 1_000;
  bucket.tokens = Math.min(burst, bucket.tokens + elapsed * perSecond);
  bucket.filledAt = monotonic;
}

/** @returns what takes it back */
function add(counts: Map<string, number>, name: string): () => void {
  const key = counts.has(name) || counts.size < MAX_NAMED ? name : 'others';
  counts.set(key, (counts.get(key) ?? 0) + 1);
  return () => {
    const left = (counts.get(key) as number) - 1;
    if (left === 0) counts.delete(key);
    else counts.set(key, left);
  };
}

function listed(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
}
