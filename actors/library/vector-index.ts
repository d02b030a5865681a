// Finds the passages whose vectors are nearest to that of a question, by comparing with all of them.
import { setImmediate as turn } from 'node:timers/promises';
import type { PassageVectors } from './vector-rows.ts';

interface Place {
  readonly reference: string;
  readonly ordinal: number;
}

/** A passage, with the similarity of the nearest of its windows, -1 to 1. */
export interface Near extends Place {
  readonly similarity: number;
}

/** Vectors have length 1: their product is the cosine of the angle between them. */
export class VectorIndex {
  /** By reference. */
  readonly #all = new Map<string, PassageVectors>();
  #similarities = new Float32Array(0);

  has(reference: string): boolean {
    return this.#all.has(reference);
  }

  get size(): number {
    return this.#all.size;
  }

  add(reference: string, vectors: PassageVectors): void {
    this.#all.set(reference, vectors);
  }

  remove(reference: string): void {
    this.#all.delete(reference);
  }

  clear(): void {
    this.#all.clear();
  }

  /** @returns whether all vectors have this many numbers: those of a server elsewhere may change while its name stays */
  fits(dimensions: number): boolean {
    for (const { windows, vectors } of this.#all.values()) if (vectors.length !== dimensions * windows.reduce((sum, count) => sum + count, 0)) return false;
    return true;
  }

  /**
   * A question that is as long as a text has thousands of vectors: others have their turn while they are compared.
   * @param vectors of the question: several if it is longer than the embedder takes @returns the nearest first, of what was there at the beginning
   */
  async searchInTurns(vectors: Float32Array, dimensions: number, count: number, products = PRODUCTS): Promise<Near[]> {
    const all = new Map(this.#all);
    const size = all.values().reduce((sum, { vectors: own }) => sum + own.length, 1);
    const step = dimensions * Math.max(1, Math.floor(products / size));
    const best = new Map<string, Near>();
    for (let from = 0; from < vectors.length; from += step) {
      if (from > 0) await turn();
      for (const near of this.search(vectors.subarray(from, from + step), dimensions, count, all)) {
        const place = `${near.reference}:${near.ordinal}`;
        if (near.similarity > (best.get(place)?.similarity ?? NOTHING)) best.set(place, near);
      }
    }
    return [...best.values()].sort((a, b) => b.similarity - a.similarity).slice(0, count);
  }

  /** The same at once. */
  search(vectors: Float32Array, dimensions: number, count: number, all: ReadonlyMap<string, PassageVectors> = this.#all): Near[] {
    const nearest = new Nearest(count);
    for (const [reference, { windows, vectors: own }] of all) {
      const similarities = this.#similaritiesOf(vectors, own, dimensions);
      let window = 0;
      for (let ordinal = 0; ordinal < windows.length; ordinal += 1) {
        const end = window + (windows[ordinal] as number);
        let similarity = NOTHING;
        for (; window < end; window += 1) similarity = Math.max(similarity, similarities[window] as number);
        if (similarity > nearest.least) nearest.add({ reference, ordinal, similarity });
      }
    }
    return nearest.sorted();
  }

  /** @returns of each vector the similarity with the nearest of the question's; valid until the next call */
  #similaritiesOf(question: Float32Array, own: Float32Array, dimensions: number): Float32Array {
    const count = own.length / dimensions;
    if (this.#similarities.length < count) this.#similarities = new Float32Array(count);
    const similarities = this.#similarities.fill(NOTHING, 0, count);
    for (let from = 0; from < question.length; from += dimensions) compare(question.subarray(from, from + dimensions), own, similarities);
    return similarities;
  }
}

/** Of two numbers each, before others have their turn: some dozens of milliseconds. */
const PRODUCTS = 2 ** 25;

/** Of passages without vectors. */
const NOTHING = Number.NEGATIVE_INFINITY;

/** Raises each similarity to the product of its vector with this one. Four vectors at a time: a number of the question is read once for them. */
function compare(question: Float32Array, vectors: Float32Array, similarities: Float32Array): void {
  const length = question.length;
  let row = 0;
  for (let at = 0; at + 4 * length <= vectors.length; at += 4 * length) {
    const [second, third, fourth] = [at + length, at + 2 * length, at + 3 * length] as const;
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let axis = 0; axis < length; axis += 1) {
      const value = question[axis] as number;
      a += value * (vectors[at + axis] as number);
      b += value * (vectors[second + axis] as number);
      c += value * (vectors[third + axis] as number);
      d += value * (vectors[fourth + axis] as number);
    }
    raise(similarities, row++, a);
    raise(similarities, row++, b);
    raise(similarities, row++, c);
    raise(similarities, row++, d);
  }
  for (let at = row * length; at + length <= vectors.length; at += length) {
    let sum = 0;
    for (let axis = 0; axis < length; axis += 1) sum += (question[axis] as number) * (vectors[at + axis] as number);
    raise(similarities, row++, sum);
  }
}

function raise(similarities: Float32Array, at: number, value: number): void {
  if (value > (similarities[at] as number)) similarities[at] = value;
}

/** Keeps the nearest: those that come are sorted in when twice as many are there. */
class Nearest {
  /** What a passage must exceed to be among them. */
  least = Number.NEGATIVE_INFINITY;
  readonly #count: number;
  #kept: Near[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  add(near: Near): void {
    this.#kept.push(near);
    if (this.#kept.length >= 2 * this.#count) this.#kept = this.sorted();
  }

  sorted(): Near[] {
    const best = this.#kept.sort((a, b) => b.similarity - a.similarity).slice(0, this.#count);
    if (best.length === this.#count) this.least = best.at(-1)?.similarity ?? this.least;
    return best;
  }
}
