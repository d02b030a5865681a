// The binary encoding of TTLV (KMIP specification 2.1 section 10.1); MaximumResponseSize also counts its bytes.
import { bigIntegerBytes, writeBigInteger } from './big-integer.ts';
import { BinaryReader, HEADER } from './binary-reader.ts';
import { LARGEST_DATE, secondsIn } from './date-time.ts';
import { LIMITS, type Limits } from './limits.ts';
import { type Node, type Structure, TYPE } from './node.ts';
import { invalid } from './place.ts';

/**
 * @returns a tree whose byte strings are views of `bytes`: copy those that you keep or send to another actor
 * @throws Refusal InvalidMessage with path and byte offset
 */
export function decodeBinary(bytes: Uint8Array, limits: Limits = LIMITS): Structure {
  if (bytes.length > limits.bytes) throw invalid(`the message has ${bytes.length} bytes; at most ${limits.bytes} are allowed`);
  return new BinaryReader(bytes, limits).message();
}

/** The length of a node in the binary encoding, with its header and padding. */
export function binarySize(node: Node): number {
  switch (node.type) {
    case TYPE.Structure: {
      let size = HEADER;
      for (const child of node.value) size += binarySize(child);
      return size;
    }
    case TYPE.TextString:
    case TYPE.Identifier:
    case TYPE.Reference:
    case TYPE.NameReference:
      return HEADER + padLength(Buffer.byteLength(node.value));
    case TYPE.ByteString:
      return HEADER + padLength(node.value.length);
    case TYPE.BigInteger:
      return HEADER + bigIntegerBytes(node.value);
    default:
      return 2 * HEADER;
  }
}

const padLength = (length: number): number => length + (-length & 7);

/** @returns bytes that own their buffer */
export function encodeBinary(node: Node): Uint8Array {
  const bytes = new Uint8Array(binarySize(node));
  write(node, Buffer.from(bytes.buffer), 0);
  return bytes;
}

/** The bytes are all zero before, so padding needs no writing. @returns the offset after the node */
function write(node: Node, bytes: Buffer, at: number): number {
  bytes.writeUInt32BE(node.tag * 256 + node.type, at);
  const value = at + HEADER;
  const length = writeValue(node, bytes, value);
  bytes.writeUInt32BE(length, at + 4);
  return value + padLength(length);
}

/** @returns the length of the value, without its padding */
function writeValue(node: Node, bytes: Buffer, at: number): number {
  switch (node.type) {
    case TYPE.Structure: {
      let end = at;
      for (const child of node.value) end = write(child, bytes, end);
      return end - at;
    }
    case TYPE.Integer:
      return bytes.writeInt32BE(node.value, at) - at;
    case TYPE.Enumeration:
    case TYPE.Interval:
      return bytes.writeUInt32BE(node.value, at) - at;
    case TYPE.LongInteger:
    case TYPE.DateTimeExtended:
      return bytes.writeBigInt64BE(node.value, at) - at;
    case TYPE.DateTime:
      if (node.value === LARGEST_DATE) return bytes.writeBigInt64BE(secondsIn(node.value), at) - at;
      // No reader takes a later date.
      if (!Number.isSafeInteger(node.value)) throw new RangeError('a DateTime must be less than 2^53 seconds from 1970');
      bytes.writeInt32BE(Math.floor(node.value / 0x1_0000_0000), at);
      return bytes.writeUInt32BE(node.value >>> 0, at + 4) - at;
    case TYPE.Boolean:
      bytes[at + 7] = node.value ? 1 : 0;
      return 8;
    case TYPE.BigInteger:
      return writeBigInteger(node.value, bytes, at);
    case TYPE.TextString:
    case TYPE.Identifier:
    case TYPE.Reference:
    case TYPE.NameReference:
      return bytes.write(node.value, at);
    case TYPE.ByteString:
      bytes.set(node.value, at);
      return node.value.length;
  }
}
