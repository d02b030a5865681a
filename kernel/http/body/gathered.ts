// Joins the chunks of a body. Memory grows with the bytes that have arrived, does not double at the end, and chunks are freed as they are copied.
import { giveBack } from '../../give-back.ts';

/** A body of at least this announced length gets its final buffer as soon as the part `PLACED_FROM` of it has arrived. */
const MIN_PLACED_BYTES = 1_048_576;
const PLACED_FROM = 0.25;

export class Gathered {
  readonly #announced: number | undefined;
  #chunks: Buffer[] = [];
  #place: Buffer | undefined;
  #length = 0;

  /** @param announced length of the body in bytes, if known */
  constructor(announced: number | undefined) {
    this.#announced = announced;
  }

  get length(): number {
    return this.#length;
  }

  /** Takes over `chunk`. The caller never adds more bytes than were announced. */
  add(chunk: Buffer): void {
    const at = this.#length;
    this.#length += chunk.byteLength;
    if (this.#place) return move(chunk, this.#place, at);
    this.#chunks.push(chunk);
    const announced = this.#announced ?? 0;
    if (announced >= MIN_PLACED_BYTES && this.#length >= announced * PLACED_FROM) this.#gather(announced);
  }

  /** @returns the whole body in a buffer of its own, and keeps no reference to it */
  take(): Buffer {
    const [first] = this.#chunks;
    // Node's parser copies each chunk out of what it reads, so a body of one chunk has its buffer already.
    if (first && this.#chunks.length === 1 && first.byteLength === first.buffer.byteLength) return first;
    if (!this.#place) return Buffer.concat(this.#chunks, this.#length);
    const whole = this.#place;
    this.#place = undefined;
    return whole;
  }

  /** Frees the memory: the body will not be used. */
  drop(): void {
    if (this.#place) giveBack(this.#place);
    for (const chunk of this.#chunks) giveBack(chunk);
    this.#place = undefined;
    this.#chunks = [];
  }

  #gather(announced: number): void {
    // Not zeroed, so that memory pages are only used once data for them has arrived.
    const place = Buffer.allocUnsafeSlow(announced);
    let at = 0;
    for (const chunk of this.#chunks) {
      const next = at + chunk.byteLength;
      move(chunk, place, at);
      at = next;
    }
    this.#chunks = [];
    this.#place = place;
  }
}

/** Chunks of eight large bodies are half a gigabyte before the next garbage collection frees them. */
function move(chunk: Uint8Array, to: Uint8Array, at: number): void {
  to.set(chunk, at);
  giveBack(chunk);
}
