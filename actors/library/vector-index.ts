// Finds the passages whose vectors are nearest to that of a question, by comparing with all of them.
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

  /** @param vectors of the question: several if it is longer than the embedder takes @returns the nearest first */
  search(vectors: Float32Array, dimensions: number, count: number): Near[] {
    const nearest = new Nearest(count);
    for (const [reference, { windows, vectors: own }] of this.#all) {
      let window = 0;
      for (const [ordinal, several] of windows.entries()) {
        if (several === 0) continue;
        let similarity = -1;
        for (const end = window + several; window < end; window += 1)
          for (let at = 0; at < vectors.length; at += dimensions) similarity = Math.max(similarity, product(vectors, at, own, window * dimensions, dimensions));
        if (similarity > nearest.least) nearest.add({ reference, ordinal, similarity });
      }
    }
    return nearest.sorted();
  }
}

/** Four sums at a time: the processor adds them side by side. */
function product(a: Float32Array, from: number, b: Float32Array, start: number, length: number): number {
  let [one, two, three, four] = [0, 0, 0, 0];
  let at = 0;
  for (; at + 3 < length; at += 4) {
    one += (a[from + at] as number) * (b[start + at] as number);
    two += (a[from + at + 1] as number) * (b[start + at + 1] as number);
    three += (a[from + at + 2] as number) * (b[start + at + 2] as number);
    four += (a[from + at + 3] as number) * (b[start + at + 3] as number);
  }
  for (; at < length; at += 1) one += (a[from + at] as number) * (b[start + at] as number);
  return one + two + three + four;
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
