// Makes an entry of the log safe for the terminal that shows it: what steers a terminal, or turns or hides text, is escaped.

/** JSON lets these stand as they are: DEL, the controls of ISO 6429 (U+009B begins an escape sequence), format characters, other ends of lines. */
const UNSAFE = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/** @param line one of JSON @returns one that means the same (RFC 8259 section 7) */
export function printableEntry(line: string): string {
  return line.replaceAll(UNSAFE, (each) => each.split('').map(escaped).join(''));
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
