// Finds a member that stands twice in one object of a JSON text: RFC 8259 section 4 leaves open which one counts, so two readers can differ.
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './json-bytes.ts';
import { isName, pointerOf, textOf } from './json-path.ts';
import { stringEnd } from './json-string.ts';

/** Bytes of one escaped character and the quote before it. */
const MAX_ESCAPED = '"\\u0061'.length;

/**
 * Takes about a nanosecond for each byte outside of long strings, because it only counts: whoever parses keeps one member of each name.
 * @param json UTF-8 @param value what JSON.parse made of it, with any depth
 * @returns the path of the second one as a JSON pointer (RFC 6901), which is shortened; undefined if every name stands once in its object
 */
export function repeatedMember(json: Uint8Array, value: unknown): string | undefined {
  return namesIn(json) === membersOf(value) ? undefined : findRepeatedMember(json);
}

/**
 * Outside of strings, each colon follows the name of a member.
 * @returns NaN for a text that JSON.parse may not have read right: V8 13.6 has taken names of one escaped character, `"\u0061"`, for a backslash
 */
function namesIn(json: Uint8Array): number {
  let names = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) {
      const end = stringEnd(json, at + 1);
      if (json[at + 1] === BACKSLASH && end - at <= MAX_ESCAPED) return Number.NaN;
      at = end;
    } else if (byte === COLON) names++;
  }
  return names;
}

/** A loop, because a text may nest deeper than the stack allows. */
function membersOf(value: unknown): number {
  if (!isHolder(value)) return 0;
  let members = 0;
  const left: object[] = [value];
  for (let holder = left.pop(); holder !== undefined; holder = left.pop()) {
    if (Array.isArray(holder)) {
      for (const each of holder) if (isHolder(each)) left.push(each);
      continue;
    }
    for (const name in holder) {
      members++;
      const each = (holder as Readonly<Record<string, unknown>>)[name];
      if (isHolder(each)) left.push(each);
    }
  }
  return members;
}

const isHolder = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** An object or an array that has begun, and where in it the reader is. */
interface Level {
  /** Undefined in an array. */
  readonly names: Set<string> | undefined;
  place: string | number;
}

/** Like `repeatedMember`, for who has no value to compare with. @param json valid JSON in UTF-8 */
export function findRepeatedMember(json: Uint8Array): string | undefined {
  const levels: Level[] = [];
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    const level = levels.at(-1);
    if (byte === OPEN_OBJECT) levels.push({ names: new Set(), place: '' });
    else if (byte === OPEN_ARRAY) levels.push({ names: undefined, place: 0 });
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) levels.pop();
    else if (byte === COMMA && typeof level?.place === 'number') level.place++;
    else if (byte === QUOTE) {
      const end = stringEnd(json, at + 1);
      if (level?.names && isName(json, end + 1)) {
        level.place = textOf(json.subarray(at, end + 1));
        if (level.names.size === level.names.add(level.place).size) return pointerOf(levels.map(({ place }) => place));
      }
      at = end;
    }
  }
  return undefined;
}
