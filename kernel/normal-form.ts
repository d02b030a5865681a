// Converts names and passwords to the composed form of Unicode (NFC), after checking that this is cheap.

/*
 * Normalization takes time that grows with the square of the length of a run of combining marks: a run of 120 000 takes seconds.
 */

/** UTF-16 code units before normalization: up to four may become one, and a normalized name has at most 255. */
export const MAX_NAME_CHARACTERS = 1_024;
/** The same for a password, which has at most 1024 bytes after normalization. */
export const MAX_PASSWORD_CHARACTERS = 4_096;

/** No natural text has more than 30 combining marks in a row (Unicode Standard Annex 15, section 13). */
const MANY_IN_A_ROW = /\p{M}{31}/u;
/** Each mark takes at least one byte after normalization, so a password with more marks would exceed 1024 bytes. */
const MAX_MARKS = 1_024;
const MARKS = /\p{M}/gu;

/** @returns undefined for a text that cannot be a name of any kind */
export function normalName(text: string): string | undefined {
  return text.length > MAX_NAME_CHARACTERS || MANY_IN_A_ROW.test(text) || !text.isWellFormed() ? undefined : text.normalize('NFC');
}

/** The form in which a name is stored, if it can be one: for names that are only compared with stored ones. */
export const composed = (name: string): string => normalName(name) ?? name;

/** @returns undefined for a text that is too long for a password */
export function normalPassword(text: string): string | undefined {
  if (text.length > MAX_PASSWORD_CHARACTERS || (text.match(MARKS)?.length ?? 0) > MAX_MARKS) return undefined;
  return text.normalize('NFC');
}
