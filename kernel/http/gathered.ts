// Puts the chunks of a body together; memory grows with what has arrived, and is not needed twice at the end.
import { giveBack } from '../give-back.ts';

/** From this size on a body whose length is known gets its buffer before its end: when this part of it is there. */
const MIN_PLACED_BYTES = 1_048_576;
const PLACED_FROM = 0.25;

export class Gathered {
  readonly #announced: number | undefined;
  #chunks: Uint8Array[] = [];
  #place: Buffer | undefined;
  #length = 0;

  /** @param announced length of the whole, bytes, where it is known */
  constructor(announced: number | undefined) {
    this.#announced = announced;
  }

  get length(): number {
    return this.#length;
  }

  /** Never more than was announced. */
  add(chunk: Uint8Array): void {
    this.#place?.set(chunk, this.#length);
    this.#length += chunk.byteLength;
    if (this.#place) return;
    this.#chunks.push(chunk);
    const announced = this.#announced ?? 0;
    if (announced >= MIN_PLACED_BYTES && this.#length >= announced * PLACED_FROM) this.#gather(announced);
  }

  /** All of it, in a buffer of its own; nothing is left here. */
  take(): Buffer {
    if (!this.#place) return Buffer.concat(this.#chunks, this.#length);
    const whole = this.#place;
    this.#place = undefined;
    return whole;
  }

  /** Nobody will ask for what has arrived. */
  drop(): void {
    if (this.#place) giveBack(this.#place);
    this.#place = undefined;
    this.#chunks = [];
  }

  #gather(announced: number): void {
    // Not zeroed: pages that nothing has arrived for are never touched.
    const place = Buffer.allocUnsafeSlow(announced);
    let at = 0;
    for (const chunk of this.#chunks) {
      place.set(chunk, at);
      at += chunk.byteLength;
    }
    this.#chunks = [];
    this.#place = place;
  }
}
