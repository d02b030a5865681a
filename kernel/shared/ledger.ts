// Who holds how much, over all threads: the items of each holder, and which of them is lost where there is no room.
import type { Bell } from './bell.ts';
import { FREE, KEPT, type LedgerOptions, LedgerTable, LIVE, LOST } from './ledger-table.ts';
import { locked, type Regions } from './region.ts';
import { NO_VICTIM } from './rows.ts';

/** What one thread holds for a holder. Its amount is in shared memory. */
export interface Item {
  readonly who: string;
  /** Called once in the thread that has the item, when it was lost. It counts for nothing then. */
  readonly lose: () => void;
  /** Place of the item; -1 while it holds nothing. */
  slot: number;
}

const NONE = -1;

export class Ledger {
  readonly #table: LedgerTable;
  readonly #perThread: number;
  readonly #thread: number;
  readonly #bell: Bell;
  /** The items of this thread by their own number, and the numbers that are unused again. */
  readonly #items: (Item | undefined)[] = [];
  readonly #unused: number[] = [];
  #lost: Item[] = [];

  constructor(regions: Regions, bell: Bell, name: string, options: LedgerOptions) {
    this.#table = new LedgerTable(regions, name, options);
    this.#perThread = options.items;
    this.#thread = regions.thread;
    this.#bell = bell;
    if (regions.threads > 1) bell.listen(() => this.#hear());
  }

  get total(): number {
    return this.#table.sums[0] as number;
  }

  held(who: string): number {
    const row = this.#rowOf(who);
    return row === NONE ? 0 : (this.#table.amounts[row] as number);
  }

  /** @returns whether the holder has at least `most`, or was refused more and has released nothing since */
  isFull(who: string, most: number): boolean {
    const row = this.#rowOf(who);
    return row !== NONE && (this.#table.refused[row] === 1 || (this.#table.amounts[row] as number) >= most);
  }

  /** Changes several things at once. The items of this thread that were lost are told afterwards. */
  change<T>(work: () => T): T {
    const result = locked(this.#table.region, work);
    if (this.#lost.length > 0) this.#tell();
    return result;
  }

  /** Whether the item has a place: it holds something, or was lost and does not know it yet. */
  isIn({ slot }: Item): boolean {
    return slot !== NONE;
  }

  amountOf({ slot }: Item): number {
    return slot === NONE ? 0 : (this.#table.itemAmounts[slot] as number);
  }

  /** Within `change`. @returns false if the item was lost, or there is no place for one more */
  put(item: Item, amount: number): boolean {
    const { states, itemAmounts } = this.#table;
    if (item.slot !== NONE && states[item.slot] === LOST) {
      // Whoever releases it need not hear that it was lost.
      this.#end(item.slot, amount > 0);
      return amount === 0;
    }
    if (item.slot === NONE && (amount === 0 || !this.#begin(item))) return amount === 0;
    const { slot } = item;
    this.#table.add(slot, amount - (itemAmounts[slot] as number));
    if (amount > 0) return true;
    this.#table.leave(slot);
    this.#end(slot, false);
    return true;
  }

  /** Within `change`: remembers that the holder was refused more, until it releases something. */
  refuse(who: string): void {
    const row = this.#rowOf(who);
    if (row !== NONE) this.#table.refused[row] = 1;
  }

  /** From now on the item cannot be lost. */
  keep({ slot }: Item): void {
    if (slot !== NONE) Atomics.compareExchange(this.#table.states, slot, LIVE, KEPT);
  }

  /** Within `change`: takes the item away that has to go, of `who` or of the largest holder. @returns it if this thread has it */
  lose(who?: string): Item | 'elsewhere' | undefined {
    const slot = this.#table.loser(who === undefined ? undefined : this.#rowOf(who));
    if (slot === undefined) return undefined;
    const item = this.#ownOf(slot);
    // First: if this thread ends here, the item is lost, and everything is counted again.
    this.#table.states[slot] = LOST;
    this.#table.add(slot, -(this.#table.itemAmounts[slot] as number));
    this.#table.leave(slot);
    if (item) this.#end(slot, true);
    else this.#bell.ring(Math.floor(slot / this.#perThread));
    return item ?? 'elsewhere';
  }

  /** Within `change`: the item was lost, but whoever has it knows already. */
  untell(item: Item): void {
    this.#lost = this.#lost.filter((lost) => lost !== item);
  }

  /** Gives back what an ended thread held. */
  giveBack(thread: number): void {
    locked(this.#table.region, () => this.#table.remove(thread));
    for (let other = 0; other < this.#table.highs.length; other += 1) this.#bell.ring(other);
  }

  #rowOf(who: string): number {
    return this.total === 0 ? NONE : this.#table.rows.find(this.#table.rows.idOf(who));
  }

  #ownOf(slot: number): Item | undefined {
    return Math.floor(slot / this.#perThread) === this.#thread ? this.#items[slot % this.#perThread] : undefined;
  }

  #begin(item: Item): boolean {
    const { rows, holders, itemAmounts, ages, counts, states, sums } = this.#table;
    const id = rows.idOf(item.who);
    const known = rows.find(id);
    const row = known === NONE ? rows.add(id, NO_VICTIM) : known;
    const own = row === NONE ? NONE : this.#newNumber();
    if (own === NONE) return false;
    const slot = this.#thread * this.#perThread + own;
    if (known === NONE) this.#table.clear(row);
    holders[slot] = row;
    itemAmounts[slot] = 0;
    sums[1] = (sums[1] as number) + 1;
    ages[slot] = sums[1];
    counts[row] = (counts[row] as number) + 1;
    states[slot] = LIVE;
    if (known === NONE) rows.show(row, id);
    item.slot = slot;
    this.#items[own] = item;
    return true;
  }

  #newNumber(): number {
    const { highs } = this.#table;
    const high = highs[this.#thread] as number;
    const unused = this.#unused.pop();
    if (unused !== undefined || high === this.#perThread) return unused ?? NONE;
    highs[this.#thread] = high + 1;
    return high;
  }

  #end(slot: number, isLost: boolean): void {
    const own = slot % this.#perThread;
    const item = this.#items[own];
    this.#items[own] = undefined;
    this.#table.states[slot] = FREE;
    this.#unused.push(own);
    if (!item) return;
    item.slot = NONE;
    if (isLost) this.#lost.push(item);
  }

  /** Other threads have taken items of this one away. */
  #hear(): void {
    const first = this.#thread * this.#perThread;
    const end = first + (this.#table.highs[this.#thread] as number);
    for (let slot = first; slot < end; slot += 1) if (Atomics.load(this.#table.states, slot) === LOST) this.#end(slot, true);
    if (this.#lost.length > 0) this.#tell();
  }

  #tell(): void {
    const lost = this.#lost;
    this.#lost = [];
    for (const { lose } of lost) lose();
  }
}

export function newItem(who: string, lose: () => void): Item {
  return { who, lose, slot: NONE };
}
