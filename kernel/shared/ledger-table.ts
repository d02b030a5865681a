// The tables of a ledger in shared memory: holders with their sums, and items with their amounts.
import type { Region, Regions } from './region.ts';
import { Rows, WORDS_PER_ROW } from './rows.ts';

export interface LedgerOptions {
  /** Most items of one thread. */
  readonly items: number;
  /** Places for holders, a multiple of 16: several times as many as there can be at once, so that each finds one. */
  readonly holders: number;
  /** Which item of the largest holder is lost. */
  readonly loses: 'largest' | 'oldest';
}

export const FREE = 0;
export const LIVE = 1;
/** Live, and cannot be lost. */
export const KEPT = 2;
export const LOST = 3;

/** Everything here is called while no other thread changes the tables. */
export class LedgerTable {
  readonly region: Region;
  readonly rows: Rows;
  /** The total of all, and the number of items so far. */
  readonly sums: Float64Array;
  /** By row of a holder: its amount, the number of its items, and 1 if it was refused more. */
  readonly amounts: Float64Array;
  readonly counts: Int32Array;
  readonly refused: Int32Array;
  /** By slot of an item. */
  readonly itemAmounts: Float64Array;
  readonly ages: Float64Array;
  readonly holders: Int32Array;
  readonly states: Int32Array;
  /** How many of its own slots each thread has used. */
  readonly highs: Int32Array;
  readonly #options: LedgerOptions;

  constructor(regions: Regions, name: string, options: LedgerOptions) {
    const { threads } = regions;
    const { holders } = options;
    const slots = threads * options.items;
    this.region = regions.open(name, { numbers: 2 + holders + 2 * slots, words: holders * (WORDS_PER_ROW + 2) + 2 * slots + threads });
    const numbers = cut(this.region.numbers);
    const words = cut(this.region.words);
    this.#options = options;
    this.sums = numbers(2);
    this.amounts = numbers(holders);
    this.itemAmounts = numbers(slots);
    this.ages = numbers(slots);
    this.rows = new Rows(words(holders * WORDS_PER_ROW), this.region.key);
    this.counts = words(holders);
    this.refused = words(holders);
    this.holders = words(slots);
    this.states = words(slots);
    this.highs = words(threads);
  }

  /** Gives an item another amount. */
  add(slot: number, change: number): void {
    const row = this.holders[slot] as number;
    add(this.itemAmounts, slot, change);
    add(this.amounts, row, change);
    add(this.sums, 0, change);
    if (change < 0) this.refused[row] = 0;
  }

  /** An item without an amount no longer counts among those of its holder. */
  leave(slot: number): void {
    const row = this.holders[slot] as number;
    add(this.counts, row, -1);
    if (this.counts[row] !== 0) return;
    this.amounts[row] = 0;
    this.rows.hide(row);
  }

  /** @returns the item to lose, of the holder in row `only` or of the largest holder that has one */
  loser(only?: number): number | undefined {
    let found: number | undefined;
    this.#each((slot) => {
      if (this.states[slot] !== LIVE || (only !== undefined && this.holders[slot] !== only)) return;
      if (found === undefined || this.#goesBefore(slot, found)) found = slot;
    });
    return found;
  }

  /** Removes what a thread held, and counts everything again: the thread may have ended in the middle of a change. */
  remove(thread: number): void {
    const first = thread * this.#options.items;
    this.states.fill(FREE, first, first + (this.highs[thread] as number));
    this.highs[thread] = 0;
    this.sums[0] = 0;
    this.#eachHolder((row) => this.clear(row));
    this.#each((slot) => {
      if (this.states[slot] !== LIVE && this.states[slot] !== KEPT) return;
      const row = this.holders[slot] as number;
      add(this.sums, 0, this.itemAmounts[slot] as number);
      add(this.amounts, row, this.itemAmounts[slot] as number);
      add(this.counts, row, 1);
    });
    this.#eachHolder((row) => this.counts[row] === 0 && this.rows.hide(row));
  }

  clear(row: number): void {
    this.amounts[row] = 0;
    this.counts[row] = 0;
    this.refused[row] = 0;
  }

  #eachHolder(visit: (row: number) => void): void {
    for (let row = 0; row < this.#options.holders; row += 1) if (!this.rows.isFree(row)) visit(row);
  }

  #each(visit: (slot: number) => void): void {
    for (let thread = 0; thread < this.highs.length; thread += 1) {
      const first = thread * this.#options.items;
      const end = first + (this.highs[thread] as number);
      for (let slot = first; slot < end; slot += 1) visit(slot);
    }
  }

  /** @returns whether `slot` is lost before `other` */
  #goesBefore(slot: number, other: number): boolean {
    const more = (this.amounts[this.holders[slot] as number] as number) - (this.amounts[this.holders[other] as number] as number);
    if (more !== 0) return more > 0;
    const [figures, sign] = this.#options.loses === 'largest' ? [this.itemAmounts, 1] : [this.ages, -1];
    return sign * ((figures[slot] as number) - (figures[other] as number)) > 0;
  }
}

function add(array: Float64Array | Int32Array, at: number, change: number): void {
  array[at] = (array[at] as number) + change;
}

function cut<A extends Int32Array | Float64Array>(array: A): (length: number) => A {
  let at = 0;
  return (length) => {
    const part = array.subarray(at, at + length) as A;
    at += length;
    return part;
  };
}
