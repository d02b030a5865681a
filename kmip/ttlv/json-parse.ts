// Turns the bytes of a JSON body into values, once it is certain that they stay small.
import { isUtf8 } from 'node:buffer';
import { type Limits, MAX_DEPTH } from './limits.ts';
import { invalid } from './place.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** A structure is an object and an array; members that are not the profile's, and are ignored, may nest a little further. */
const MAX_BRACKETS = 3 * MAX_DEPTH;
/** A field has one brace and three commas, a structure a bracket more; twice that for members that are ignored. */
const MARKS_PER_NODE = 10;
/** Nothing in a body up to this size can become large, so it is not looked through. */
const SMALL = 64 * 1024;
/** Strings longer than this are searched by native code for their end. */
const LONG = 256;

/** @throws Refusal InvalidMessage for what is too large or not UTF-8 */
export function checkBytes(bytes: Uint8Array, limits: Limits): void {
  if (bytes.length > limits.bytes) throw invalid(`the message has ${bytes.length} bytes; at most ${limits.bytes} are allowed`);
  if (!isUtf8(bytes)) throw invalid('the body is not UTF-8');
}

/** @param bytes that passed `checkBytes` @throws Refusal InvalidMessage for what is too deep, too much or not JSON */
export function parseJson(bytes: Uint8Array, limits: Limits): unknown {
  checkShape(bytes, limits.nodes * MARKS_PER_NODE);
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  } catch (cause) {
    // The message of the parser quotes what it has read, which may be a secret.
    const at = /at position (\d+)/.exec((cause as Error).message)?.[1];
    throw invalid(`the body is not valid JSON${at === undefined ? '' : `, at character ${at}`}`);
  }
}

/**
 * Bounds the nesting and the number of values before anything is built of them: JSON.parse itself has no bounds.
 * @param most commas and opening brackets @throws Refusal InvalidMessage
 */
export function checkShape(bytes: Uint8Array, most: number): void {
  if (bytes.length <= SMALL) return;
  let depth = 0;
  let marks = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = stringEnd(bytes, at + 1);
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > MAX_BRACKETS) throw invalid(`byte ${at}: structures are nested too deep: at most ${MAX_DEPTH} levels are allowed`);
        marks++;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
      case 0x2c: // ,
        if (++marks > most) throw invalid(`byte ${at}: too many fields in one message`);
        break;
    }
  }
}

/** The offset of the quote that ends the string, or of the last byte. */
function stringEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
    else if (at - from > LONG) return longStringEnd(bytes, at + 1);
  }
  return bytes.length;
}

/** As `stringEnd`, from a byte that no backslash stands before. */
function longStringEnd(bytes: Uint8Array, from: number): number {
  let quote = bytes.indexOf(QUOTE, from);
  while (quote >= 0 && isEscaped(bytes, quote, from)) quote = bytes.indexOf(QUOTE, quote + 1);
  return quote < 0 ? bytes.length : quote;
}

function isEscaped(bytes: Uint8Array, at: number, from: number): boolean {
  let backslashes = 0;
  while (at - backslashes > from && bytes[at - backslashes - 1] === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
