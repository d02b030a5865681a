// Limits the nesting of a JSON text before it is parsed: code that writes or compares the values recurses for each level and could overflow the stack.
import { stringEnd } from '../../../text/json-string.ts';

/** Levels of arrays and objects in a body of any route, KMIP apart, whose structures have as many. Our own formats need at most five; data that is stored as sent may have more. */
export const MAX_DEPTH = 64;

const QUOTE = 0x22;
const [OPEN_ARRAY, CLOSE_ARRAY] = [0x5b, 0x5d];
const [OPEN_OBJECT, CLOSE_OBJECT] = [0x7b, 0x7d];

/** Counts brackets outside of strings. The parser checks that they match. */
export function isTooDeep(json: Uint8Array): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number;
    if (byte === QUOTE) at = stringEnd(json, at + 1);
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (++depth > MAX_DEPTH) return true;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
  }
  return false;
}
