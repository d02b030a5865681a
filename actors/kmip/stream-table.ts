// The streams of one thread by their correlation values, with their limits and their end by idleness.
import { randomBytes } from 'node:crypto';
import { Refusal } from './refusal.ts';
import type { StreamLimits, StreamOwner } from './stream-api.ts';
import type { StreamWork } from './stream-work.ts';

interface Stream extends StreamOwner {
  readonly work: StreamWork;
  /** Of the parts so far. */
  bytes: number;
  /** By the monotonic clock, milliseconds. */
  usedAt: number;
}

const VALUE_BYTES = 16;

export class StreamTable {
  /** The one that was used longest ago comes first. */
  readonly #streams = new Map<string, Stream>();
  readonly #perUser = new Map<string, number>();
  readonly #limits: StreamLimits;
  readonly #monotonic: () => number;

  constructor(limits: StreamLimits, monotonic: () => number) {
    this.#limits = limits;
    this.#monotonic = monotonic;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** @throws Refusal ServerLimitExceeded */
  makeRoom(user: string): void {
    this.sweep();
    if (this.#streams.size >= this.#limits.streams) throw new Refusal('ServerLimitExceeded', 'too many multi-part operations are open; try again later');
    if ((this.#perUser.get(user) ?? 0) >= this.#limits.streamsPerUser)
      throw new Refusal('ServerLimitExceeded', `${this.#limits.streamsPerUser} multi-part operations of this user are open; finish one first`);
  }

  /** Keeps a stream that has had its first part. @returns its correlation value */
  add(owner: StreamOwner, work: StreamWork, bytes: number): Uint8Array {
    const value = new Uint8Array(randomBytes(VALUE_BYTES));
    const { kind, user, object } = owner;
    this.#streams.set(keyOf(value), { kind, user, object, work, bytes, usedAt: this.#monotonic() });
    this.#perUser.set(user, (this.#perUser.get(user) ?? 0) + 1);
    return value;
  }

  /**
   * The work of a stream for one more part. The stream is taken out; `putBack` keeps it, so that whatever fails in between ends it.
   * @throws Refusal InvalidCorrelationValue; ServerLimitExceeded for one part too many
   */
  takeOut(owner: StreamOwner, value: Uint8Array, bytes: number): Stream {
    const stream = this.#streams.get(keyOf(value));
    if (!stream || stream.user !== owner.user || stream.kind !== owner.kind || stream.object !== owner.object) throw unknown(owner);
    this.#remove(value, stream);
    if (this.#isIdle(stream)) throw unknown(owner);
    stream.bytes += bytes;
    this.checkBytes(stream.bytes);
    return stream;
  }

  putBack(value: Uint8Array, stream: Stream): void {
    stream.usedAt = this.#monotonic();
    this.#streams.set(keyOf(value), stream);
    this.#perUser.set(stream.user, (this.#perUser.get(stream.user) ?? 0) + 1);
  }

  /** @throws Refusal ServerLimitExceeded */
  checkBytes(bytes: number): void {
    if (bytes > this.#limits.inputBytes) throw new Refusal('ServerLimitExceeded', `a multi-part operation takes ${this.#limits.inputBytes} bytes at most`);
  }

  /** Ends what nobody continued in time. */
  sweep(): void {
    for (const [value, stream] of this.#streams) {
      if (!this.#isIdle(stream)) return;
      this.#forget(value, stream);
    }
  }

  #isIdle(stream: Stream): boolean {
    return this.#monotonic() - stream.usedAt > this.#limits.idleMs;
  }

  #remove(value: Uint8Array, stream: Stream): void {
    this.#forget(keyOf(value), stream);
  }

  #forget(value: string, stream: Stream): void {
    this.#streams.delete(value);
    const left = (this.#perUser.get(stream.user) ?? 1) - 1;
    if (left > 0) this.#perUser.set(stream.user, left);
    else this.#perUser.delete(stream.user);
  }
}

function keyOf(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1');
}

function unknown({ kind }: StreamOwner): Refusal {
  return new Refusal('InvalidCorrelationValue', `no such multi-part ${kind}: it ended, was idle too long, was lost with a restart, or is not yours`);
}
