// The streams of one thread by correlation value: enforces their limits, and ends idle ones.
import { randomBytes } from 'node:crypto';
import { textOfBytes } from '../../kernel/runtime/channel/bytes.ts';
import { changedInput } from '../../kmip/part-inputs.ts';
import { Refusal } from '../../kmip/refusal.ts';
import type { StreamLimits, StreamOwner, StreamStart } from './api.ts';
import type { StreamWork } from './work.ts';

interface Stream extends StreamOwner {
  readonly work: StreamWork;
  /** Bytes that came with the first part and may be kept until the end. */
  readonly startBytes: number;
  /** Bytes of all parts so far. */
  bytes: number;
  /** Monotonic milliseconds. */
  usedAt: number;
}

/** The open streams of one user, least recently used first. */
interface Share {
  readonly streams: Map<string, Stream>;
  /** Bytes that these streams keep until their end. */
  held: number;
}

const VALUE_BYTES = 16;

/** At a limit of all users together, the user with the most loses their oldest stream. No user loses a stream to one who has more. */
export class StreamTable {
  /** Least recently used first. */
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

  /** Ends idle streams, and checks the limits for a new stream of this user. @throws Refusal ServerLimitExceeded */
  makeRoom({ user }: StreamOwner): void {
    this.sweep();
    const own = this.#shares.get(user)?.streams.size ?? 0;
    if (own >= this.#limits.streamsPerUser)
      throw tooMuch(`${this.#limits.streamsPerUser} multi-part operations of this user are open, which is the limit: finish one first`);
    if (this.#streams.size < this.#limits.streams) return;
    const most = this.#largest(({ streams }) => streams.size);
    const loser = most && most.streams.size > own ? most : this.#shares.get(user);
    const [oldest] = loser?.streams ?? [];
    if (!oldest) throw tooMuch('too many multi-part operations are open on the server: try again later');
    this.#remove(...oldest);
  }

  /** Creates a stream without adding it to the table. */
  fresh({ kind, user, object, inputs, iv, aad, proof }: StreamStart, work: StreamWork): Stream {
    const startBytes = [iv, aad, proof].reduce((sum, each) => sum + (each?.length ?? 0), 0);
    return { kind, user, object, inputs, work, startBytes, bytes: 0, usedAt: 0 };
  }

  /** Checks the limits for one more part of a stream, which must not be in the table. @throws Refusal ServerLimitExceeded */
  count(stream: Stream, bytes: number): void {
    stream.bytes += bytes;
    const { inputBytes, heldBytes } = this.#limits;
    if (stream.bytes > inputBytes) throw tooMuch(`the multi-part operation has more than ${inputBytes} bytes: send less data`);
    const added = heldBy(stream);
    const own = (this.#shares.get(stream.user)?.held ?? 0) + added;
    if (own > inputBytes) throw tooMuch(`the multi-part operations of this user hold more than ${inputBytes} bytes: finish one first`);
    while (this.#held + added > heldBytes) {
      const most = this.#largest(({ held }) => held);
      if (!most || most.held <= own) throw tooMuch('multi-part operations hold too many bytes on the server: try again later');
      for (const [key, other] of most.streams) {
        if (heldBy(other) === 0) continue;
        this.#remove(key, other);
        break;
      }
    }
  }

  /** @returns the correlation value */
  add(stream: Stream): Uint8Array {
    const value = new Uint8Array(randomBytes(VALUE_BYTES));
    this.put(value, stream);
    return value;
  }

  put(value: Uint8Array, stream: Stream): void {
    stream.usedAt = this.#monotonic();
    this.#insert(textOfBytes(value), stream);
  }

  /**
   * Takes a stream out of the table for one more part. The caller puts it back; if anything fails in between, the stream has ended.
   * @throws Refusal InvalidCorrelationValue; InvalidField for inputs that differ from those of the first part, and then the stream stays
   */
  takeOut(owner: StreamOwner, value: Uint8Array, isLast = false): Stream {
    const key = textOfBytes(value);
    const stream = this.#streams.get(key);
    if (!stream || stream.user !== owner.user || stream.kind !== owner.kind || stream.object !== owner.object) throw unknown(owner);
    const changed = this.#isIdle(stream) ? undefined : changedInput(stream.inputs ?? {}, owner.inputs ?? {}, isLast);
    if (changed) throw new Refusal('InvalidField', changed);
    this.#remove(key, stream);
    if (this.#isIdle(stream)) throw unknown(owner);
    return stream;
  }

  /** Ends the streams that nobody continued in time. */
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
    const share = this.#shares.get(stream.user);
    if (!share?.streams.delete(key)) return;
    share.held -= heldBy(stream);
    this.#held -= heldBy(stream);
    if (share.streams.size === 0) this.#shares.delete(stream.user);
  }

  #insert(key: string, stream: Stream): void {
    const share = this.#shares.get(stream.user) ?? { streams: new Map(), held: 0 };
    this.#shares.set(stream.user, share);
    this.#streams.set(key, stream);
    share.streams.set(key, stream);
    share.held += heldBy(stream);
    this.#held += heldBy(stream);
  }

  /** A linear search, needed only when a limit is reached. */
  #largest(of: (share: Share) => number): Share | undefined {
    let largest: Share | undefined;
    for (const share of this.#shares.values()) if (!largest || of(share) > of(largest)) largest = share;
    return largest;
  }
}

/** Bytes that a stream keeps until its end. */
function heldBy({ work, startBytes, bytes }: Stream): number {
  return startBytes + (work.holds ? bytes : 0);
}

function tooMuch(message: string): Refusal {
  return new Refusal('ServerLimitExceeded', message);
}

function unknown({ kind }: StreamOwner): Refusal {
  return new Refusal(
    'InvalidCorrelationValue',
    `unknown multi-part ${kind}: it has ended, was idle too long, made room for those of others, was lost in a restart, or is not yours; start it again`,
  );
}
