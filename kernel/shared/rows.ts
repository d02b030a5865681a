// Gives names rows of tables in shared memory. A name is known by a hash that nobody outside can compute.
import { hash } from 'node:crypto';

/** 128 bits of a keyed hash; the first word is never 0. */
export type RowId = readonly [number, number, number, number];

/** A name can have one of this many rows. */
const WAYS = 16;
const MAX_REMEMBERED = 10_000;
export const WORDS_PER_ROW = 4;

export class Rows {
  /** Four words of each row: the name that has it, or 0. */
  readonly #ids: Int32Array;
  readonly #sets: number;
  readonly #key: string;
  readonly #hashes = new Map<string, RowId>();

  /** @param ids four words for each row; their number is a multiple of 64 */
  constructor(ids: Int32Array, key: string) {
    this.#ids = ids;
    this.#sets = ids.length / WORDS_PER_ROW / WAYS;
    this.#key = key;
  }

  idOf(name: string): RowId {
    const known = this.#hashes.get(name);
    if (known) return known;
    const digest = hash('sha256', this.#key + name, 'buffer');
    const id: RowId = [digest.readInt32LE(0) || 1, digest.readInt32LE(4), digest.readInt32LE(8), digest.readInt32LE(12)];
    if (this.#hashes.size >= MAX_REMEMBERED) this.#hashes.clear();
    this.#hashes.set(name, id);
    return id;
  }

  has(row: number, id: RowId): boolean {
    const at = row * WORDS_PER_ROW;
    const ids = this.#ids;
    return Atomics.load(ids, at) === id[0] && ids[at + 1] === id[1] && ids[at + 2] === id[2] && ids[at + 3] === id[3];
  }

  isFree(row: number): boolean {
    return Atomics.load(this.#ids, row * WORDS_PER_ROW) === 0;
  }

  /** @returns -1 if the name has no row */
  find(id: RowId): number {
    const first = this.#firstOf(id);
    for (let row = first; row < first + WAYS; row += 1) if (this.has(row, id)) return row;
    return -1;
  }

  /**
   * Gives the name a row; call it under the lock. If none is free, `victim` chooses among them.
   * @param victim gets the first row and the number of rows @returns the one to take, or -1
   * @returns the row, which has what it last had, or -1
   */
  add(id: RowId, victim: (first: number, count: number) => number): number {
    const first = this.#firstOf(id);
    let row = first;
    while (row < first + WAYS && !this.isFree(row)) row += 1;
    if (row === first + WAYS) row = victim(first, WAYS);
    if (row < 0) return -1;
    const at = row * WORDS_PER_ROW;
    this.#ids[at + 1] = id[1];
    this.#ids[at + 2] = id[2];
    this.#ids[at + 3] = id[3];
    return row;
  }

  /** Shows the row to others; call it when its contents are those of the name. */
  show(row: number, id: RowId): void {
    Atomics.store(this.#ids, row * WORDS_PER_ROW, id[0]);
  }

  /** Hides the row. @returns the first word of its name, to show it again */
  hide(row: number): number {
    return Atomics.exchange(this.#ids, row * WORDS_PER_ROW, 0);
  }

  reveal(row: number, word: number): void {
    Atomics.store(this.#ids, row * WORDS_PER_ROW, word);
  }

  #firstOf(id: RowId): number {
    return ((id[3] >>> 0) % this.#sets) * WAYS;
  }
}

/** For tables whose rows in use are never taken. */
export const NO_VICTIM = () => -1;
