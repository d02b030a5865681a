// Tells where in a JSON text something stands, as a JSON pointer (RFC 6901).
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './json-bytes.ts';
import { stringEnd } from './json-string.ts';

/** Characters of a path that an error repeats: the client chose the names. */
const MAX_TOLD = 256;

/** @param json valid JSON in UTF-8 @param offset of a value in it @returns its path, which is shortened */
export function pathAt(json: Uint8Array, offset: number): string {
  const places: (string | number)[] = [];
  for (let at = 0; at < offset; at++) {
    const byte = json[at];
    const place = places.at(-1);
    if (byte === OPEN_OBJECT) places.push('');
    else if (byte === OPEN_ARRAY) places.push(0);
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) places.pop();
    else if (byte === COMMA && typeof place === 'number') places[places.length - 1] = place + 1;
    else if (byte === QUOTE) {
      const end = stringEnd(json, at + 1);
      if (typeof place === 'string' && isName(json, end + 1)) places[places.length - 1] = textOf(json.subarray(at, end + 1));
      at = end;
    }
  }
  return pointerOf(places);
}

/** Only white space comes between a name and its colon. @param from behind a string */
export function isName(json: Uint8Array, from: number): boolean {
  let at = from;
  while ((json[at] ?? COLON) <= 0x20) at++;
  return json[at] === COLON;
}

/** @param quoted a string with its quotes */
export function textOf(quoted: Uint8Array): string {
  const text = Buffer.from(quoted.buffer, quoted.byteOffset, quoted.length).toString();
  return quoted.includes(BACKSLASH) ? (JSON.parse(text) as string) : text.slice(1, -1);
}

/** @param places names and indices from the outermost on */
export function pointerOf(places: readonly (string | number)[]): string {
  const path = places.map((place) => `/${String(place).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return path.length > MAX_TOLD ? `${path.slice(0, MAX_TOLD).toWellFormed()}...` : path.toWellFormed();
}
