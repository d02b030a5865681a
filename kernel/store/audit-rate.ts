// Limits the audit rows of refused requests, which cost an attacker nothing and must not fill the disk. Refusals without a row are counted.
import { sourceOf } from '../http/connection/source.ts';
import type { AuditEvent } from './audit.ts';
import { type Bucket, Buckets, fill } from './token-buckets.ts';

/**
 * Limit per source, an IPv4 address or an IPv6 network. The burst exceeds what a lockout counts (50 failures from all sources) and suffices for a
 * company behind one address. After it one row in five seconds is written: about 17 000 a day, or 7 MB.
 */
const SOURCE = { burst: 200, perSecond: 0.2 };
/** Limit for all sources of a stream together: 86 400 rows a day, about 35 MB, even under attack by a botnet. */
const TOTAL = { burst: 2_000, perSecond: 1 };
/** A summary row lists at most this many events and sources. */
const MAX_NAMED = 10;

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

/** Every change can be undone, because a transaction that is rolled back or run again has written nothing. */
export class RefusalRate {
  readonly #sources = new Buckets(SOURCE);
  readonly #total: Bucket = { tokens: TOTAL.burst, filledAt: 0 };
  readonly #undo: (() => void)[] = [];
  #sum: Sum | undefined;

  /** Position for `restore`. */
  get mark(): number {
    return this.#undo.length;
  }

  restore(mark: number): void {
    while (this.#undo.length > mark) this.#undo.pop()?.();
  }

  /** Makes all changes permanent. */
  settle(): void {
    this.#undo.length = 0;
  }

  /** Whether the row is written. Changes always are. A refusal is written while its source and all sources together are below their limits, else counted. */
  admits({ event, outcome, source = '' }: AuditEvent, { time, monotonic }: Now): boolean {
    if (outcome === 'success') return true;
    const from = sourceOf(source);
    const own = this.#sources.of(from, monotonic);
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

  /** @returns the row that sums up the refusals without a row since the last sum; undefined if there were none */
  takeSum(): AuditEvent | undefined {
    const sum = this.#sum;
    if (!sum) return undefined;
    this.#sum = undefined;
    this.#undo.push(() => {
      this.#sum = sum;
    });
    const [first, ...others] = sum.sources.keys();
    const reason = `${formatCounts(sum.events)}; from ${formatCounts(sum.sources)}; since ${new Date(sum.since).toISOString()}`;
    return { event: 'audit.suppressed', outcome: 'success', source: others.length === 0 ? first : undefined, target: `${sum.rows} rows`, reason };
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

/** @returns a function that undoes the change */
function add(counts: Map<string, number>, name: string): () => void {
  const key = counts.has(name) || counts.size < MAX_NAMED ? name : 'others';
  counts.set(key, (counts.get(key) ?? 0) + 1);
  return () => {
    const left = (counts.get(key) as number) - 1;
    if (left === 0) counts.delete(key);
    else counts.set(key, left);
  };
}

function formatCounts(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
}
