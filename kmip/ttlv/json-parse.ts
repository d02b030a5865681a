// Parses the bytes of a JSON body, after checks that bound the memory that its values will need.
import { isUtf8 } from 'node:buffer';
import { stringEnd } from '../../text/json-string.ts';
import { repeatedMember } from '../../text/repeated-member.ts';
import { type Limits, MAX_DEPTH } from './limits.ts';
import { invalid } from './place.ts';

const QUOTE = 0x22;
/** A structure takes two brackets, for an object and an array. The rest is room for unknown members, which are ignored. */
const MAX_BRACKETS = 3 * MAX_DEPTH;
/** A field has one brace and three commas, a structure one more bracket; the limit is twice that, to allow for members that are ignored. */
const MARKS_PER_NODE = 10;
/** In bytes. The values of a body up to this size are always small, so it needs no check. */
const SMALL = 64 * 1024;

/** @throws Refusal InvalidMessage if the body is too large or not UTF-8 */
export function checkBytes(bytes: Uint8Array, limits: Limits): void {
  if (bytes.length > limits.bytes) throw invalid(`the message has ${bytes.length} bytes; at most ${limits.bytes} are allowed`);
  if (!isUtf8(bytes)) throw invalid('the body is not UTF-8');
}

/**
 * For whoever takes members in any order and passes over unknown ones. The first problem that `read` finds is the one that is told.
 * @param bytes that passed `checkBytes` @throws what `read` throws; Refusal InvalidMessage for what is not JSON, for too much of it,
 * and for a member that stands twice in its object, which others could read as the first one (RFC 8259 section 4)
 */
export function readJson<T>(bytes: Uint8Array, limits: Limits, read: (json: unknown) => T): T {
  const json = parseJson(bytes, limits);
  const result = read(json);
  const repeated = repeatedMember(bytes, json);
  if (repeated !== undefined) throw invalid(`a member stands twice in its object: ${repeated}`);
  return result;
}

/** @param bytes that passed `checkBytes` @throws Refusal InvalidMessage if the body nests too deep, has too many values, or is not JSON */
function parseJson(bytes: Uint8Array, limits: Limits): unknown {
  if (bytes.length > SMALL) checkShape(bytes, { marks: limits.nodes * MARKS_PER_NODE, brackets: MAX_BRACKETS });
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  } catch (cause) {
    // The parser's own message quotes the input, which may be a secret.
    const at = /at position (\d+)/.exec((cause as Error).message)?.[1];
    throw invalid(`the body is not valid JSON${at === undefined ? '' : `, at character ${at}`}`);
  }
}

interface Shape {
  /** The maximum number of commas and opening brackets. */
  readonly marks: number;
  /** The maximum number of brackets in each other. */
  readonly brackets: number;
}

/** Bounds the nesting and the number of values before JSON.parse, which has no limits of its own. @throws Refusal InvalidMessage */
export function checkShape(bytes: Uint8Array, most: Shape): void {
  let depth = 0;
  let marks = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = stringEnd(bytes, at + 1);
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > most.brackets) throw invalid(`byte ${at}: structures are nested too deep: at most ${MAX_DEPTH} levels are allowed`);
        marks++;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
      case 0x2c: // ,
        if (++marks > most.marks) throw invalid(`byte ${at}: too many fields in one message`);
        break;
    }
  }
}
