// Splits a stream of bytes into messages. Memory grows with the bytes that have arrived, not with the announced length.
import { giveBack } from '../give-back.ts';
import type { Listener } from './listener.ts';

/** One message, or the header of an invalid or too long message. */
export interface Frame {
  readonly bytes: Uint8Array;
  readonly isMessage: boolean;
}

const MIN_BUFFER_BYTES = 4_096;
const MIN_GIVEN_BACK_BYTES = 65_536;

export class Frames {
  readonly #rules: Pick<Listener, 'headerBytes' | 'maxMessageBytes' | 'lengthOf'>;
  #bytes = new Uint8Array(0);
  #start = 0;
  #end = 0;

  constructor(rules: Pick<Listener, 'headerBytes' | 'maxMessageBytes' | 'lengthOf'>) {
    this.#rules = rules;
  }

  /** Bytes that have arrived and were not returned as a message yet. */
  get held(): number {
    return this.#end - this.#start;
  }

  /** Takes over `chunk`: the caller must not change it afterwards. */
  push(chunk: Uint8Array): void {
    const { held } = this;
    if (held === 0) {
      // Usually one chunk is one message and needs no copy.
      this.#bytes = new Uint8Array(chunk.buffer as ArrayBuffer, chunk.byteOffset, chunk.byteLength);
      this.#start = 0;
      this.#end = chunk.byteLength;
      return;
    }
    if (this.#end + chunk.byteLength > this.#bytes.byteLength) this.#grow(held + chunk.byteLength);
    this.#bytes.set(chunk, this.#end);
    this.#end += chunk.byteLength;
    // A long message would otherwise be there twice until the next garbage collection.
    if (held > MIN_GIVEN_BACK_BYTES) giveBack(chunk);
  }

  /** @returns the next whole message, or a refused header; after that the beginning of the next message is unknown */
  next(): Frame | undefined {
    const { headerBytes, maxMessageBytes, lengthOf } = this.#rules;
    if (this.held < headerBytes) return undefined;
    const header = this.#bytes.subarray(this.#start, this.#start + headerBytes);
    const length = lengthOf(header);
    if (length === undefined || length > maxMessageBytes) return { bytes: new Uint8Array(header), isMessage: false };
    return this.held < length ? undefined : { bytes: this.#take(length), isMessage: true };
  }

  /** Frees the memory: no further message will be read. */
  drop(): void {
    giveBack(this.#bytes);
    this.#bytes = new Uint8Array(0);
    this.#start = 0;
    this.#end = 0;
  }

  #take(length: number): Uint8Array {
    const bytes = this.#bytes;
    const start = this.#start;
    this.#start += length;
    const isAlone = start === 0 && length === bytes.byteLength && length === bytes.buffer.byteLength;
    const message = isAlone ? bytes : bytes.slice(start, start + length);
    if (this.held === 0) this.#bytes = new Uint8Array(0);
    return message;
  }

  /** Doubles the buffer, so that single bytes are not copied each time, but not beyond the message that is arriving. */
  #grow(needed: number): void {
    const { headerBytes, lengthOf } = this.#rules;
    const announced = this.held < headerBytes ? undefined : lengthOf(this.#bytes.subarray(this.#start, this.#start + headerBytes));
    const doubled = Math.max(needed, MIN_BUFFER_BYTES, 2 * this.held);
    const grown = new Uint8Array(announced === undefined ? doubled : Math.max(needed, Math.min(doubled, announced)));
    grown.set(this.#bytes.subarray(this.#start, this.#end));
    giveBack(this.#bytes);
    this.#end -= this.#start;
    this.#start = 0;
    this.#bytes = grown;
  }
}
