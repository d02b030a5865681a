// A made-up world for the lease: its time, a database that delivers notifications as PostgreSQL does, and the connections to it.
import type { Seen } from '../../../kernel/store/lease.ts';

/** Mistakes that are put in on purpose: a simulation that misses one proves nothing. */
export type Mistake = 'trust from receipt' | 'no wait at joining' | 'seen before it is' | 'old entries after a loss' | 'short wait';

export const ITEMS = 40;
const RUN_MS = 25_000;

/** Numbers that depend on the seed only (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type Message =
  | { readonly kind: 'change'; readonly origin: string; readonly change: number; readonly item: number }
  | ({ readonly kind: 'seen'; readonly term: string } & Seen)
  | { readonly kind: 'renewal'; readonly term: string };

/** One connection that listens. Each direction keeps its order. */
export interface Line {
  isOpen: boolean;
  /** Until then nothing passes, in either direction. */
  heldUntil: number;
  lastToDatabase: number;
  lastToNode: number;
  /** Notifications that the server has not sent yet: it sends them a moment later, or with its next answer. */
  queue: Message[];
  /** Has the server send the queue. */
  flush(): void;
}

export interface Outcome {
  /** Uses of something revoked that began after the revocation was answered. */
  readonly violations: readonly string[];
  readonly hits: number;
  readonly answered: number;
  /** Revocations that were answered within half a second, although another node trusted its cache. */
  readonly quick: number;
}

export class World {
  now = 0;
  readonly random: () => number;
  readonly mistake: Mistake | undefined;
  readonly rows = new Map<string, { term: string; beat: number }>();
  readonly isRevoked = new Uint8Array(ITEMS);
  readonly answeredAt = new Float64Array(ITEMS).fill(Number.POSITIVE_INFINITY);
  readonly lines = new Set<Line>();
  readonly nodes = new Set<{ use(item: number): void }>();
  readonly violations: string[] = [];
  hits = 0;
  answered = 0;
  quick = 0;
  readonly #events: { at: number; order: number; run: () => void }[] = [];
  #order = 0;

  constructor(seed: number, mistake?: Mistake) {
    this.random = randomOf(seed);
    this.mistake = mistake;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.random();
  }

  /** Mostly a millisecond or two, sometimes a second, seldom more. */
  delay(): number {
    const kind = this.random();
    if (kind < 0.9) return this.between(0.1, 3);
    return kind < 0.99 ? this.between(3, 900) : this.between(900, 5_000);
  }

  at(time: number, run: () => void): void {
    const events = this.#events;
    const event = { at: time, order: this.#order++, run };
    let place = events.push(event) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isLater(events[parent] as typeof event, event)) break;
      events[place] = events[parent] as typeof event;
      place = parent;
    }
    events[place] = event;
  }

  /** Every node uses it soon, and some time later. */
  useAll(item: number, withinMs: number): void {
    for (const node of this.nodes) for (const most of [5, withinMs]) this.at(this.now + this.between(0, most), () => node.use(item));
  }

  /** The server sends a notification soon, not at once. */
  notify(message: Message): void {
    for (const line of this.lines) {
      line.queue.push(message);
      this.at(this.now + this.between(0, 30), () => line.queue.length > 0 && line.flush());
    }
  }

  run(): Outcome {
    for (let next = this.#take(); next && next.at <= RUN_MS; next = this.#take()) {
      this.now = next.at;
      next.run();
    }
    const { violations, hits, answered, quick } = this;
    return { violations, hits, answered, quick };
  }

  #take() {
    const events = this.#events;
    const first = events[0];
    const last = events.pop();
    if (!first || !last || events.length === 0) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= events.length) break;
      if (child + 1 < events.length && isLater(events[child] as typeof last, events[child + 1] as typeof last)) child += 1;
      if (!isLater(last, events[child] as typeof last)) break;
      events[place] = events[child] as typeof last;
      place = child;
    }
    events[place] = last;
    return first;
  }
}

const isLater = (one: { at: number; order: number }, other: { at: number; order: number }) =>
  one.at > other.at || (one.at === other.at && one.order > other.order);
