// Reads and writes the parts of DER that keys, signatures and certificates need (ITU-T X.690).
import { CryptoError } from './crypto-error.ts';

export const DER = Object.freeze({
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8: 0x0c,
  sequence: 0x30,
  set: 0x31,
  printable: 0x13,
  teletex: 0x14,
  ia5: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  universal: 0x1c,
  bmp: 0x1e,
});

/** An element. `content` and `whole` are views of the bytes that were read. */
export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  readonly whole: Buffer;
}

export function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  if (content.length < 0x80) return Buffer.concat([Buffer.of(tag, content.length), content]);
  const length = Buffer.from(even(content.length.toString(16)), 'hex');
  return Buffer.concat([Buffer.of(tag, 0x80 | length.length), length, content]);
}

export const sequence = (...contents: readonly Uint8Array[]): Buffer => element(DER.sequence, ...contents);
export const octets = (content: Uint8Array): Buffer => element(DER.octets, content);
export const nullElement = (): Buffer => element(DER.null);
export const boolean = (value: boolean): Buffer => element(DER.boolean, Buffer.of(value ? 0xff : 0));
/** Writes a bit string of whole bytes. */
export const bits = (content: Uint8Array): Buffer => element(DER.bits, Buffer.of(0), content);
/** Writes a bit string of named bits, by their numbers, without trailing zero bits, as DER requires. */
export function namedBits(tag: number, numbers: readonly number[]): Buffer {
  const last = Math.max(0, ...numbers);
  const bytes = Buffer.alloc(numbers.length === 0 ? 0 : (last >> 3) + 1);
  for (const number of numbers) bytes[number >> 3] = (bytes[number >> 3] as number) | (0x80 >> (number & 7));
  return element(tag, Buffer.of(numbers.length === 0 ? 0 : 7 - (last & 7)), bytes);
}
/** @param content of a bit string, with its first byte, which counts the unused bits @returns whether a named bit is set */
export const hasNamedBit = (content: Uint8Array, number: number): boolean => ((content[1 + (number >> 3)] ?? 0) & (0x80 >> (number & 7))) !== 0;
export const context = (number: number, ...contents: readonly Uint8Array[]): Buffer => element(0xa0 | number, ...contents);

/** Writes an integer that is not negative. */
export function unsigned(value: bigint): Buffer {
  const bytes = Buffer.from(even(value.toString(16)), 'hex');
  return element(DER.integer, (bytes[0] as number) & 0x80 ? Buffer.of(0) : Buffer.alloc(0), bytes);
}

/** @param dotted `1.2.840.113549` */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const content = [first * 40 + second, ...rest].flatMap((arc) => {
    const septets = [arc & 0x7f];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) septets.unshift((left % 128) | 0x80);
    return septets;
  });
  return element(DER.oid, Buffer.from(content));
}

const even = (hex: string): string => (hex.length % 2 === 0 ? hex : `0${hex}`);

const malformed = (what: string): CryptoError => new CryptoError('invalid', `${what} is not well-formed DER`);

/**
 * Reads `bytes`, which must be exactly one element.
 * @param what the name of the bytes in error messages
 * @throws CryptoError invalid
 */
export function readElement(bytes: Uint8Array, what: string): Element {
  const [first, ...more] = readElements(bytes, what);
  if (first === undefined || more.length > 0) throw malformed(what);
  return first;
}

/** Reads `bytes`, which must be a sequence of whole elements. @throws CryptoError invalid */
export function readElements(bytes: Uint8Array, what: string): Element[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const elements: Element[] = [];
  for (let at = 0; at < buffer.length; ) {
    const { start, end } = extent(buffer, at, what);
    elements.push({ tag: buffer[at] as number, content: buffer.subarray(start, end), whole: buffer.subarray(at, end) });
    at = end;
  }
  return elements;
}

function extent(buffer: Buffer, at: number, what: string): { start: number; end: number } {
  const short = buffer[at + 1];
  if (short === undefined || ((buffer[at] as number) & 0x1f) === 0x1f) throw malformed(what);
  const octetCount = short < 0x80 ? 0 : short & 0x7f;
  const start = at + 2 + octetCount;
  if (short === 0x80 || octetCount > 4 || start > buffer.length) throw malformed(what);
  const length = octetCount === 0 ? short : buffer.readUIntBE(at + 2, octetCount);
  // DER allows only the shortest form of the length.
  if (octetCount > 0 && (length < 0x80 || buffer[at + 2] === 0)) throw malformed(what);
  if (start + length > buffer.length) throw malformed(what);
  return { start, end: start + length };
}

/** Reads the elements inside `parent`, which must have this tag. @throws CryptoError invalid */
export function readInside(parent: Element | undefined, tag: number, what: string): Element[] {
  return readElements(contentOf(parent, tag, what), what);
}

/** @throws CryptoError invalid if the element is missing or has another tag */
export function contentOf(each: Element | undefined, tag: number, what: string): Buffer {
  if (each?.tag !== tag) throw malformed(what);
  return each.content;
}

/** @throws CryptoError invalid for another kind of element, a negative number, or more bytes than needed */
export function readUnsigned(each: Element | undefined, what: string): bigint {
  const content = contentOf(each, DER.integer, what);
  const [first, second] = content;
  if (first === undefined || first & 0x80 || (first === 0 && second !== undefined && !(second & 0x80))) throw malformed(what);
  return BigInt(`0x${content.toString('hex')}`);
}

/** Returns the content of a bit string of whole bytes. @throws CryptoError invalid */
export function readBits(each: Element | undefined, what: string): Buffer {
  const content = contentOf(each, DER.bits, what);
  if (content[0] !== 0) throw malformed(what);
  return content.subarray(1);
}

/** Returns the dotted form of an object identifier. @throws CryptoError invalid */
export function readOid(each: Element | undefined, what: string): string {
  const content = contentOf(each, DER.oid, what);
  const arcs: bigint[] = [];
  let arc = 0n;
  let begins = true;
  for (const byte of content) {
    // X.690 section 8.19.2: with leading zeros, one identifier would have several encodings.
    if (begins && byte === 0x80) throw malformed(what);
    arc = arc * 128n + BigInt(byte & 0x7f);
    begins = (byte & 0x80) === 0;
    if (!begins) continue;
    arcs.push(arc);
    arc = 0n;
  }
  const [head, ...rest] = arcs;
  if (head === undefined || (content.at(-1) as number) & 0x80) throw malformed(what);
  const first = head < 80n ? head / 40n : 2n;
  return [first, head - first * 40n, ...rest].join('.');
}
