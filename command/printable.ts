// Makes text of others safe for a terminal: control characters, escape sequences, and what turns or hides text become visible.

/** Control and format characters (bidi, zero width, tags), line and paragraph separators, halves of surrogate pairs. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const WIDE = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\u3000-\u303f\uff01-\uff60]/u;
const NO_WIDTH = /\p{M}/u;

/** `\u{202e}` stands in place of each such character. */
export function printable(value: string): string {
  return value.replaceAll(UNSAFE, (each) => `\\u{${(each.codePointAt(0) as number).toString(16)}}`);
}

/** JSON that is safe on a terminal and means the same: characters that JSON may hold as they are become its escapes. */
export function printableJson(value: unknown): string {
  const escaped = (each: string) => [...Array(each.length).keys()].map((at) => `\\u${each.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
  return JSON.stringify(value, null, 2).replaceAll(UNSAFE, (each) => (each === '\n' ? each : escaped(each)));
}

/** Columns that a printable text takes on a terminal. */
export function width(value: string): number {
  let columns = 0;
  for (const each of value) columns += NO_WIDTH.test(each) ? 0 : WIDE.test(each) ? 2 : 1;
  return columns;
}
