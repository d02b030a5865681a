// Finds where a string of a JSON text ends (RFC 8259 section 7).
import { BACKSLASH, QUOTE } from './json-bytes.ts';

/** For strings longer than this, native code finds the end faster. */
const LONG = 256;

/** The offset of the quote that ends the string, or the length of `json` if there is none. */
export function stringEnd(json: Uint8Array, from: number): number {
  for (let at = from; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
    else if (at - from > LONG) return longStringEnd(json, at + 1);
  }
  return json.length;
}

/** Like `stringEnd`, but the byte before `from` must not be a backslash. */
function longStringEnd(json: Uint8Array, from: number): number {
  let quote = json.indexOf(QUOTE, from);
  while (quote >= 0 && isEscaped(json, quote, from)) quote = json.indexOf(QUOTE, quote + 1);
  return quote < 0 ? json.length : quote;
}

function isEscaped(json: Uint8Array, at: number, from: number): boolean {
  let backslashes = 0;
  while (at - backslashes > from && json[at - backslashes - 1] === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
