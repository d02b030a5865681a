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

/** What one user has open. */
interface Share {
  streams: number;
  /** Bytes that streams keep until their end. */
  held: number;
}

const VALUE_BYTES = 16;

export class StreamTable {
  /** The one that was used longest ago comes first. */
  readonly #streams = new Map<string, Stream>();
  readonly #shares = new Map<string, Share>();
  #held = 0;
  readonly #limits: StreamLimits;
  readonly #monotonic: () => number;

  constructor(limits: StreamLimits, monotonic: () => number) {
    this.#limits = limits;
    this.#monotonic = monotonic;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Ends what is idle, and holds a new stream of this user against the limits. @throws Refusal ServerLimitExceeded */
  makeRoom({ user }: StreamOwner): void {
    this.sweep();
    if (this.#streams.size >= this.#limits.streams) throw tooMuch('too many multi-part operations are open; try again later');
    if ((this.#shares.get(user)?.streams ?? 0) >= this.#limits.streamsPerUser)
      throw tooMuch(`${this.#limits.streamsPerUser} multi-part operations of this user are open; finish one first`);
  }

  /** A stream that is not in the table yet. */
  fresh({ kind, user, object }: StreamOwner, work: StreamWork): Stream {
    return { kind, user, object, work, bytes: 0, usedAt: 0 };
  }

  /** Counts one more part of a stream that is not in the table. @throws Refusal ServerLimitExceeded */
  count(stream: Stream, bytes: number): void {
    stream.bytes += bytes;
    const { inputBytes, heldBytes } = this.#limits;
    if (stream.bytes > inputBytes) throw tooMuch(`a multi-part operation takes ${inputBytes} bytes at most`);
    if (!stream.work.holds) return;
    if (this.#held + stream.bytes > heldBytes) throw tooMuch('too many bytes are held for signatures of whole messages; try again later');
    if ((this.#shares.get(stream.user)?.held ?? 0) + stream.bytes > inputBytes)
      throw tooMuch(`${inputBytes} bytes at most are held for signatures of whole messages of this user`);
  }

  /** @returns the correlation value */
  add(stream: Stream): Uint8Array {
    const value = new Uint8Array(randomBytes(VALUE_BYTES));
    this.put(value, stream);
    return value;
  }

  put(value: Uint8Array, stream: Stream): void {
    stream.usedAt = this.#monotonic();
    this.#streams.set(keyOf(value), stream);
    this.#change(stream, 1);
  }

  /** A stream for one more part. It is not in the table until it is put back, so that whatever fails in between ends it. @throws Refusal InvalidCorrelationValue */
  takeOut(owner: StreamOwner, value: Uint8Array): Stream {
    const key = keyOf(value);
    const stream = this.#streams.get(key);
    if (!stream || stream.user !== owner.user || stream.kind !== owner.kind || stream.object !== owner.object) throw unknown(owner);
    this.#remove(key, stream);
    if (this.#isIdle(stream)) throw unknown(owner);
    return stream;
  }

  /** Ends what nobody continued in time. */
  sweep(): void {
    for (const [key, stream] of this.#streams) {
      if (!this.#isIdle(stream)) return;
      this.#remove(key, stream);
    }
  }

  #isIdle(stream: Stream): boolean {
    return this.#monotonic() - stream.usedAt > this.#limits.idleMs;
  }

  #remove(key: string, stream: Stream): void {
    this.#streams.delete(key);
    this.#change(stream, -1);
  }

  #change({ user, work, bytes }: Stream, by: 1 | -1): void {
    const share = this.#shares.get(user) ?? { streams: 0, held: 0 };
    const held = work.holds ? by * bytes : 0;
    share.streams += by;
    share.held += held;
    this.#held += held;
    if (share.streams > 0) this.#shares.set(user, share);
    else this.#shares.delete(user);
  }
}

function keyOf(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1');
}

function tooMuch(message: string): Refusal {
  return new Refusal('ServerLimitExceeded', message);
}

function unknown({ kind }: StreamOwner): Refusal {
  return new Refusal('InvalidCorrelationValue', `no such multi-part ${kind}: it ended, was idle too long, was lost with a restart, or is not yours`);
}
