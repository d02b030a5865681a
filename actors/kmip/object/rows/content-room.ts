// Limits the bytes of content that one thread holds at a time. Objects can have many megabytes, and nothing else limits memory outside the heap.
import { Fault } from '../../../../kernel/fault.ts';
import { giveBack } from '../../../../kernel/give-back.ts';
import { type Node, type Structure, TYPE } from '../../../../kmip/ttlv/node.ts';

/**
 * Bytes of all large contents that are open at a time. Each is held twice for a while.
 * A single call may exceed the limit if its operation needs more.
 */
const MAX_OPEN_BYTES = 33_554_432;
/** Maximum number of calls that wait for room: with more, few would finish before their deadline. */
const MAX_WAITING_CALLS = 256;

interface Waiting {
  readonly opening: Opening;
  readonly bytes: number;
  readonly go: () => void;
}

export class ContentRoom {
  readonly #maxBytes: number;
  readonly #signal: () => AbortSignal | undefined;
  readonly #byUser = new Map<string, number>();
  #open = 0;
  readonly #waiting: Waiting[] = [];
  /** The one call that may exceed the limit. It never waits again, so that the calls that wait for it can proceed. */
  #beyond: Opening | undefined;

  /** @param signal of the current call: aborted once its caller is gone */
  constructor(signal: () => AbortSignal | undefined, maxBytes = MAX_OPEN_BYTES) {
    this.#signal = signal;
    this.#maxBytes = maxBytes;
  }

  /** The total of all calls. */
  get openBytes(): number {
    return this.#open;
  }

  begin(user: string): Opening {
    return new Opening(this, user);
  }

  /** Waits until there is room. @throws Fault OVERLOADED, CANCELLED */
  async admit(opening: Opening, bytes: number): Promise<void> {
    if (this.#fits(opening, bytes) && (opening.bytes > 0 || this.#waiting.length === 0)) return this.#grant(opening, bytes);
    if (this.#waiting.length >= MAX_WAITING_CALLS) throw new Fault('OVERLOADED');
    const signal = this.#signal();
    await new Promise<void>((go) => this.#waiting.push({ opening, bytes, go }));
    if (!signal?.aborted) return;
    opening.end();
    throw new Fault('CANCELLED');
  }

  count(user: string, bytes: number): void {
    this.#open += bytes;
    const own = (this.#byUser.get(user) ?? 0) + bytes;
    if (own > 0) this.#byUser.set(user, own);
    else this.#byUser.delete(user);
  }

  release(opening: Opening, bytes: number): void {
    this.count(opening.user, -bytes);
    if (this.#beyond === opening) this.#beyond = undefined;
    for (let next = this.#next(); next; next = this.#next()) {
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#grant(next.opening, next.bytes);
      next.go();
    }
  }

  /** A call that already holds content would block others while it waits. So one such call at a time may exceed the limit. */
  #fits(opening: Opening, bytes: number): boolean {
    if (this.#open === 0 || this.#open + bytes <= this.#maxBytes) return true;
    return opening.bytes > 0 && (this.#beyond === undefined || this.#beyond === opening);
  }

  #grant(opening: Opening, bytes: number): void {
    if (opening.bytes > 0 && this.#open + bytes > this.#maxBytes) this.#beyond = opening;
    opening.takeAtOnce(bytes);
  }

  /** Of the calls that fit, picks one whose user holds the fewest bytes; among equals, the one that came first. */
  #next(): Waiting | undefined {
    const ofUser = ({ opening }: Waiting) => this.#byUser.get(opening.user) ?? 0;
    let least: Waiting | undefined;
    for (const each of this.#waiting) if (this.#fits(each.opening, each.bytes) && (!least || ofUser(each) < ofUser(least))) least = each;
    return least;
  }
}

/** The content that one call holds. */
export class Opening {
  readonly user: string;
  readonly #room: ContentRoom;
  #contents: Structure[] | undefined;
  #bytes = 0;

  constructor(room: ContentRoom, user: string) {
    this.#room = room;
    this.user = user;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @throws Fault OVERLOADED if too many calls already wait, CANCELLED if the caller is gone */
  take(bytes: number): Promise<void> {
    return this.#room.admit(this, bytes);
  }

  /** Does not wait, because others wait for the transaction that calls it. */
  takeAtOnce(bytes: number): void {
    this.#bytes += bytes;
    this.#room.count(this.user, bytes);
  }

  /** After an operation: releases its contents, except for those in the response. */
  keep(bytes: number): void {
    if (this.#bytes <= bytes) return;
    const released = this.#bytes - bytes;
    this.#bytes = bytes;
    this.#room.release(this, released);
  }

  /** A content that was read for this call alone. Its memory is freed when the call ends: the next garbage collection may be minutes away. */
  hold(content: Structure | undefined): void {
    if (!content) return;
    this.#contents ??= [];
    this.#contents.push(content);
  }

  /** Ends the call and releases all its content. */
  end(): void {
    for (const content of this.#contents ?? []) {
      const view = firstBytes(content);
      if (view) giveBack(new Uint8Array(view.buffer));
    }
    this.#contents = undefined;
    this.keep(0);
  }
}

/** The byte strings of a decoded message are views of the same bytes. */
function firstBytes(node: Node): Uint8Array | undefined {
  if (node.type === TYPE.ByteString) return node.value;
  if (node.type !== TYPE.Structure) return undefined;
  for (const member of node.value) {
    const found = firstBytes(member);
    if (found) return found;
  }
  return undefined;
}
