// Says whether the caches of this process may be used: always over a store of its own; over a shared one only for a while after each renewal of its lease.

/** Times in milliseconds. The monotonic one is the same in every thread of the process. */
export interface Watch {
  monotonicMs(): number;
  /** It may jump; it also runs while the machine sleeps, when a monotonic clock may stand still. */
  wallMs(): number;
}

/** A thread's performance.now() counts from the start of the thread. */
const THREAD_START_MS = Number(process.hrtime.bigint() / 1000n) / 1000 - performance.now();

export const watch: Watch = { monotonicMs: () => THREAD_START_MS + performance.now(), wallMs: () => Date.now() };

/** Changes that wait at the same time; the waits of more end by time. */
const SEEN_CELLS = 4_096;
const [IS_SHARED, UNTIL, WALL_UNTIL, LISTED_UNTIL, ALONE_UNTIL, LAST_CHANGE, SEEN] = [0, 1, 2, 3, 4, 5, 6] as const;
/** Words of shared memory. */
export const TRUST_CELLS = SEEN + SEEN_CELLS;

/**
 * Times are kept as milliseconds modulo 2^32 in one word each, 0 for never; so the main thread clears them when they have passed. Only the main thread
 * writes them. See lease.ts for the rules.
 */
export class Trust {
  readonly #cells: Int32Array;
  readonly #watch: Watch;

  constructor(cells: Int32Array = new Int32Array(new SharedArrayBuffer(4 * TRUST_CELLS)), given: Watch = watch) {
    this.#cells = cells;
    this.#watch = given;
  }

  /** Other nodes write the same rows: from now on caches are used under a lease only. */
  share(): void {
    Atomics.store(this.#cells, IS_SHARED, 1);
  }

  get isShared(): boolean {
    return Atomics.load(this.#cells, IS_SHARED) === 1;
  }

  /** Whether cached rows may be used, and rows put into caches. A machine that slept has lost its trust by the wall clock. */
  get isTrusted(): boolean {
    return !this.isShared || (this.#isBefore(UNTIL, this.#watch.monotonicMs()) && this.#isBefore(WALL_UNTIL, this.#watch.wallMs()));
  }

  /** @param untilMs on the monotonic clock */
  trust(untilMs: number): void {
    this.#write(WALL_UNTIL, this.#watch.wallMs() + untilMs - this.#watch.monotonicMs());
    this.#write(UNTIL, untilMs);
  }

  distrust(): void {
    Atomics.store(this.#cells, UNTIL, 0);
  }

  /** @param untilMs how long it is known which other nodes have leases; 0: it is not @param isAlone whether there are none */
  list(untilMs: number, isAlone: boolean): void {
    this.#write(LISTED_UNTIL, untilMs);
    this.#write(ALONE_UNTIL, isAlone ? untilMs : 0);
  }

  get isListed(): boolean {
    return this.#isBefore(LISTED_UNTIL, this.#watch.monotonicMs());
  }

  /** Whether no other node trusts a cache, or can before it has asked the database again. */
  get isAlone(): boolean {
    return this.#isBefore(ALONE_UNTIL, this.#watch.monotonicMs());
  }

  /** @returns the number of a change, positive and unique among all threads */
  nextChange(): number {
    return (Atomics.add(this.#cells, LAST_CHANGE, 1) & 0x7fff_ffff) + 1;
  }

  /** @returns the first of `count` further numbers of changes, for one that has none of this memory */
  reserveChanges(count: number): number {
    return (Atomics.add(this.#cells, LAST_CHANGE, count) & 0x3fff_ffff) + 1;
  }

  /** Every other node has seen the change. */
  noteSeen(change: number): void {
    const cell = SEEN + (change % SEEN_CELLS);
    Atomics.store(this.#cells, cell, change | 0);
    Atomics.notify(this.#cells, cell);
  }

  isSeen(change: number): boolean {
    return Atomics.load(this.#cells, SEEN + (change % SEEN_CELLS)) === (change | 0);
  }

  /** Settles after noteSeen, or after this time. */
  async waitSeen(change: number, longestMs: number): Promise<void> {
    const cell = SEEN + (change % SEEN_CELLS);
    const before = Atomics.load(this.#cells, cell);
    if (before === (change | 0)) return;
    // Atomics.waitAsync does not keep the process alive; a timer does.
    const timer = setTimeout(() => {}, 2 * longestMs);
    await Atomics.waitAsync(this.#cells, cell, before, longestMs).value;
    clearTimeout(timer);
  }

  #isBefore(cell: number, nowMs: number): boolean {
    const until = Atomics.load(this.#cells, cell);
    return until !== 0 && ((until - nowMs) | 0) > 0;
  }

  #write(cell: number, ms: number): void {
    // The lowest bit keeps a time from being 0, which means never: at most a millisecond early.
    Atomics.store(this.#cells, cell, ms === 0 ? 0 : (Math.floor(ms) - 1) | 1);
  }
}
