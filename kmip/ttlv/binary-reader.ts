// Reads the binary encoding strictly: exact lengths, zero padding, nothing after the message (KMIP specification 2.1 section 10.1).
import { isUtf8 } from 'node:buffer';
import type { Refusal } from '../refusal.ts';
import { readBigInteger } from './big-integer.ts';
import { secondsFrom } from './date-time.ts';
import { type Limits, MAX_DEPTH } from './limits.ts';
import { isTag } from './names.ts';
import { type Node, type Structure, TYPE } from './node.ts';
import { Place } from './place.ts';

/** The bytes of tag, type and length. */
export const HEADER = 8;

/** Reads one message; make a new reader for each message. */
export class BinaryReader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #place = new Place();
  #at = 0;
  #left: number;

  constructor(bytes: Uint8Array, limits: Limits) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#left = limits.nodes;
  }

  /** @throws Refusal InvalidMessage with path and byte offset */
  message(): Structure {
    const node = this.#node(this.#bytes.length, 0);
    if (node.type !== TYPE.Structure) throw this.#refusal(0, 3, 'a message must be a Structure');
    if (this.#at !== this.#bytes.length) throw this.#refusal(0, this.#at, 'there are bytes after the end of the message');
    return node;
  }

  /** Reads the node at the current byte. All of it must lie before `end`. */
  #node(end: number, depth: number): Node {
    const start = this.#at;
    if (end - start < HEADER) throw this.#refusal(depth - 1, start, 'a field needs 8 bytes for its tag, type and length; fewer are left');
    const word = this.#view.getUint32(start);
    const tag = word >>> 8;
    if (!isTag(tag)) throw this.#refusal(depth - 1, start, `0x${tag.toString(16).padStart(6, '0')} is not a valid tag`);
    this.#place.enter(depth, tag);
    if (--this.#left < 0) throw this.#refusal(depth, start, 'too many fields in one message');
    const length = this.#view.getUint32(start + 4);
    const value = start + HEADER;
    const next = value + length + (-length & 7);
    if (next > end) throw this.#refusal(depth, start + 4, `a length of ${length} bytes plus padding does not fit: only ${end - value} bytes are left`);
    this.#at = next;
    return this.#value(tag, word & 0xff, value, length, depth);
  }

  #value(tag: number, type: number, at: number, length: number, depth: number): Node {
    switch (type) {
      case TYPE.Structure:
        return { tag, type, value: this.#children(at, length, depth) };
      case TYPE.Integer:
        this.#requireLength(at, length, 4, depth);
        return { tag, type, value: this.#view.getInt32(at) };
      case TYPE.Enumeration:
      case TYPE.Interval:
        this.#requireLength(at, length, 4, depth);
        return { tag, type, value: this.#view.getUint32(at) };
      case TYPE.LongInteger:
      case TYPE.DateTimeExtended:
        this.#requireLength(at, length, 8, depth);
        return { tag, type, value: this.#view.getBigInt64(at) };
      case TYPE.BigInteger:
        if (length === 0 || length % 8 !== 0) throw this.#refusal(depth, at - 4, 'the length of a BigInteger must be a multiple of 8 bytes, and not 0');
        return { tag, type, value: readBigInteger(this.#bytes, at, length) };
      case TYPE.Boolean:
        return { tag, type, value: this.#boolean(at, length, depth) };
      case TYPE.TextString:
      case TYPE.Identifier:
      case TYPE.Reference:
      case TYPE.NameReference:
        return { tag, type, value: this.#text(at, length, depth) };
      case TYPE.ByteString:
        this.#padding(at + length, depth);
        return { tag, type, value: new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset + at, length) };
      case TYPE.DateTime:
        return { tag, type, value: this.#seconds(at, length, depth) };
      default:
        throw this.#refusal(depth, at - 5, `0x${type.toString(16).padStart(2, '0')} is not a valid type`);
    }
  }

  #children(at: number, length: number, depth: number): Node[] {
    if (depth >= MAX_DEPTH) throw this.#refusal(depth, at, `structures are nested too deep: at most ${MAX_DEPTH} levels are allowed`);
    const end = at + length;
    const nodes: Node[] = [];
    this.#at = at;
    while (this.#at < end) nodes.push(this.#node(end, depth + 1));
    if (length % 8 !== 0) throw this.#refusal(depth, at - 4, 'the length of a Structure must be a multiple of 8 bytes');
    return nodes;
  }

  #requireLength(at: number, length: number, wanted: number, depth: number): void {
    if (length !== wanted) throw this.#refusal(depth, at - 4, `the length is ${length} bytes, but this type takes ${wanted}`);
    if (wanted === 4 && this.#view.getUint32(at + 4) !== 0) throw this.#refusal(depth, at + 4, 'padding bytes must be zero');
  }

  #padding(from: number, depth: number): void {
    for (let at = from; at < this.#at; at++) if (this.#bytes[at] !== 0) throw this.#refusal(depth, at, 'padding bytes must be zero');
  }

  #boolean(at: number, length: number, depth: number): boolean {
    this.#requireLength(at, length, 8, depth);
    const low = this.#view.getUint32(at + 4);
    if (this.#view.getUint32(at) !== 0 || low > 1) throw this.#refusal(depth, at, 'a Boolean must be 0 or 1');
    return low === 1;
  }

  #seconds(at: number, length: number, depth: number): number {
    this.#requireLength(at, length, 8, depth);
    const seconds = this.#view.getInt32(at) * 0x1_0000_0000 + this.#view.getUint32(at + 4);
    if (Number.isSafeInteger(seconds)) return seconds;
    const largest = secondsFrom(this.#view.getBigInt64(at));
    if (largest === undefined) throw this.#refusal(depth, at, 'a DateTime must be less than 2^53 seconds from 1970');
    return largest;
  }

  #text(at: number, length: number, depth: number): string {
    this.#padding(at + length, depth);
    let bits = 0;
    for (let index = at; index < at + length; index++) bits |= this.#bytes[index] as number;
    if (bits < 0x80) return this.#bytes.toString('latin1', at, at + length);
    if (!isUtf8(this.#bytes.subarray(at, at + length))) throw this.#refusal(depth, at, 'the text is not UTF-8');
    return this.#bytes.toString('utf8', at, at + length);
  }

  #refusal(depth: number, offset: number, message: string): Refusal {
    return this.#place.refusal(depth, `byte ${offset}: ${message}`);
  }
}
