// The turns of callers in shared memory: how many each may have, and how many run and wait in each thread.
import { Fault } from '../fault.ts';
import type { Bell } from '../shared/bell.ts';
import { locked, type Region, type Regions } from '../shared/region.ts';
import { type RowId, Rows, WORDS_PER_ROW } from '../shared/rows.ts';

/** Where a caller's figures are. Another caller may get the row while this one has nothing that runs or waits. */
export interface CallerRow {
  readonly id: RowId;
  readonly row: number;
}

/** The callers that are remembered. Beyond them, callers with nothing that runs or waits are forgotten and begin anew. */
const ROWS = 16_384;

export class TurnTable {
  readonly #region: Region;
  readonly #bell: Bell;
  readonly #rows: Rows;
  readonly #first: number;
  readonly #threads: number;
  readonly #own: number;
  readonly #allowed: Int32Array;
  /** By row and thread. A thread changes its own figures only, so those of one that ended can be told apart. */
  readonly #busy: Int32Array;
  readonly #waiting: Int32Array;
  readonly #last: Int32Array;

  /** @param first what a new caller may have at once */
  constructor(regions: Regions, bell: Bell, first: number) {
    const { thread, threads } = regions;
    this.#region = regions.open('turns', { numbers: 1, words: 1 + ROWS * (WORDS_PER_ROW + 1 + 2 * threads) });
    const { words, key, numbers } = this.#region;
    const own = ROWS * threads;
    this.#bell = bell;
    this.#first = first;
    this.#threads = threads;
    this.#own = thread;
    this.#rows = new Rows(words.subarray(0, ROWS * WORDS_PER_ROW), key);
    this.#allowed = words.subarray(ROWS * WORDS_PER_ROW, ROWS * (WORDS_PER_ROW + 1));
    this.#busy = words.subarray(ROWS * (WORDS_PER_ROW + 1), ROWS * (WORDS_PER_ROW + 1) + own);
    this.#waiting = words.subarray(ROWS * (WORDS_PER_ROW + 1) + own, ROWS * (WORDS_PER_ROW + 1) + 2 * own);
    this.#last = words.subarray(ROWS * (WORDS_PER_ROW + 1) + 2 * own);
    if (thread === 0) numbers[0] = Number.NEGATIVE_INFINITY;
  }

  /** The last time that a request of another caller than before came. */
  get otherAt(): number {
    return this.#region.numbers[0] as number;
  }

  noteCaller({ id }: CallerRow, monotonic: () => number): void {
    const last = Atomics.load(this.#last, 0);
    if (last === id[0]) return;
    if (last !== 0) this.#region.numbers[0] = monotonic();
    Atomics.store(this.#last, 0, id[0]);
  }

  /** @throws Fault OVERLOADED if all callers of the same rows are busy, which needs more than 10 000 of them */
  rowOf(who: string): CallerRow {
    const id = this.#rows.idOf(who);
    const known = this.#rows.find(id);
    if (known >= 0) return { id, row: known };
    return locked(this.#region, () => {
      const found = this.#rows.find(id);
      if (found >= 0) return { id, row: found };
      const row = this.#rows.add(id, (first, count) => this.#forget(first, count));
      if (row < 0) throw new Fault('OVERLOADED');
      this.#allowed[row] = this.#first;
      this.#rows.show(row, id);
      return { id, row };
    });
  }

  /**
   * Takes a turn: counts it first, so that of two threads the later one sees both.
   * @returns whether there was one; undefined if the row is another caller's now
   */
  begin({ id, row }: CallerRow): boolean | undefined {
    const at = row * this.#threads + this.#own;
    Atomics.add(this.#busy, at, 1);
    if (this.#rows.has(row, id)) {
      if (this.#sum(this.#busy, row) <= Atomics.load(this.#allowed, row)) return true;
      Atomics.sub(this.#busy, at, 1);
      return false;
    }
    Atomics.sub(this.#busy, at, 1);
    return undefined;
  }

  end({ row }: CallerRow): void {
    Atomics.sub(this.#busy, row * this.#threads + this.#own, 1);
  }

  /** @returns false if `most` wait already; undefined if the row is another caller's now */
  addWaiting({ id, row }: CallerRow, most: number): boolean | undefined {
    const at = row * this.#threads + this.#own;
    Atomics.add(this.#waiting, at, 1);
    const isOwn = this.#rows.has(row, id);
    if (isOwn && this.#sum(this.#waiting, row) <= most) return true;
    Atomics.sub(this.#waiting, at, 1);
    return isOwn ? false : undefined;
  }

  removeWaiting({ row }: CallerRow): void {
    Atomics.sub(this.#waiting, row * this.#threads + this.#own, 1);
  }

  allow({ id, row }: CallerRow, change: (allowed: number) => number): void {
    const allowed = Atomics.load(this.#allowed, row);
    const changed = change(allowed);
    if (changed !== allowed && this.#rows.has(row, id)) Atomics.compareExchange(this.#allowed, row, allowed, changed);
  }

  /** @returns whether requests of this caller wait in other threads */
  wakeOthers({ row }: CallerRow): boolean {
    let woken = false;
    for (let thread = 0; thread < this.#threads; thread += 1) {
      if (thread === this.#own || Atomics.load(this.#waiting, row * this.#threads + thread) === 0) continue;
      this.#bell.ring(thread);
      woken = true;
    }
    return woken;
  }

  giveBack(thread: number): void {
    locked(this.#region, () => {
      for (const figures of [this.#busy, this.#waiting])
        for (let row = 0; row < ROWS; row += 1) if (figures[row * this.#threads + thread] !== 0) Atomics.store(figures, row * this.#threads + thread, 0);
    });
    for (let other = 0; other < this.#threads; other += 1) this.#bell.ring(other);
  }

  #forget(first: number, count: number): number {
    for (let row = first; row < first + count; row += 1) {
      // Hidden first: whoever begins a turn meanwhile either is counted here or sees that the row is not its own.
      const word = this.#rows.hide(row);
      if (this.#sum(this.#busy, row) === 0 && this.#sum(this.#waiting, row) === 0) return row;
      this.#rows.reveal(row, word);
    }
    return -1;
  }

  #sum(figures: Int32Array, row: number): number {
    let sum = 0;
    for (let thread = 0; thread < this.#threads; thread += 1) sum += Atomics.load(figures, row * this.#threads + thread);
    return sum;
  }
}
