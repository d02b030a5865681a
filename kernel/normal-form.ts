// Names and passwords in Unicode's composed form (NFC), once it is certain that this costs little.

/*
 * It sorts each run of combining marks in a time that grows with the square of the run's length: 120 000 of them take seconds.
 */

/** Characters of UTF-16 before they are composed: four of them may become one, and a name has 255. */
export const MAX_NAME_CHARACTERS = 1_024;
/** As above for a password, which has 1024 bytes composed at most. */
export const MAX_PASSWORD_CHARACTERS = 4_096;

/** A text of any language has at most 30 in a row (Unicode Standard Annex 15, section 13). */
const MANY_IN_A_ROW = /\p{M}{31}/u;
/** Composed or not, each takes a byte at least: with more of them no password has 1024 bytes. */
const MAX_MARKS = 1_024;
const MARKS = /\p{M}/gu;

/** @returns undefined for a text that is no name, whatever it is a name of */
export function normalName(text: string): string | undefined {
  return text.length > MAX_NAME_CHARACTERS || MANY_IN_A_ROW.test(text) ? undefined : text.normalize('NFC');
}

/** @returns undefined for a text that is longer than any password */
export function normalPassword(text: string): string | undefined {
  if (text.length > MAX_PASSWORD_CHARACTERS || (text.match(MARKS)?.length ?? 0) > MAX_MARKS) return undefined;
  return text.normalize('NFC');
}
