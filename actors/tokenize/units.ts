// Splits a text into words and signs, the units in which entries are compared.
import { foldCase } from '../../text/case.ts';

/** Part of a text: a word, a run of white space, or one other character. */
export interface Unit {
  /** The form that is compared: case, normalization and typographic variants make no difference. */
  readonly key: string;
  /** UTF-16 indices into the text. */
  readonly start: number;
  readonly end: number;
}

const SPACE = ' ';

/**
 * A word: letters, marks, numbers, connecting punctuation, and invisible joiners between them (Unicode TS 18, `\w`). A hyphen or an apostrophe
 * ends a word. The alternatives after it: white space, and any other single character. So nothing lies between two units.
 */
const UNIT = /[\p{Alphabetic}\p{L}\p{M}\p{N}\p{Pc}]+(?:[\p{Join_Control}\u00ad]+[\p{Alphabetic}\p{L}\p{M}\p{N}\p{Pc}]+)*|\s+|./gsu;
const WORD = /^[\p{Alphabetic}\p{L}\p{M}\p{N}\p{Pc}]/u;

/** Shows where a word may be divided at the end of a line: word processors and pages of the web have it within words. */
const SOFT_HYPHEN = /\u00ad/g;

/** Letters, digits and signs as wide as those of Chinese and Japanese, among which they stand; behind those of ASCII by as much. */
const WIDE = /[\uff01-\uff5e]/g;
const BEHIND_ASCII = 0xfee0;

/** Word processors write these instead of the signs on the keyboard. */
const SAME_SIGNS: Readonly<Record<string, string>> = { '\u2018': "'", '\u2019': "'", '\u2010': '-', '\u2011': '-' };

/** Units of several texts that are compared with each other. */
export class Units {
  /** Keys by what stands in a text, because most units stand in it more than once. */
  readonly #keys = new Map<string, string>();

  of(text: string): Unit[] {
    let end = 0;
    return (text.match(UNIT) ?? []).map((whole) => {
      const start = end;
      end += whole.length;
      return { key: this.#keyOf(whole), start, end };
    });
  }

  #keyOf(whole: string): string {
    const known = this.#keys.get(whole);
    if (known !== undefined) return known;
    const key = keyOf(whole);
    this.#keys.set(whole, key);
    return key;
  }
}

const ASCII = /^[\0-\x7f]*$/;

/** Words are compared without case and in NFC, because an accent can be encoded in two ways. */
function keyOf(whole: string): string {
  if (ASCII.test(whole)) return whole.trim() === '' ? SPACE : whole.toLowerCase();
  const text = whole.replaceAll(SOFT_HYPHEN, '').replaceAll(WIDE, (sign) => String.fromCharCode(sign.charCodeAt(0) - BEHIND_ASCII));
  if (WORD.test(whole)) return foldCase(text.normalize('NFC')).normalize('NFC');
  return whole.trim() === '' ? SPACE : (SAME_SIGNS[text] ?? (text === '' ? whole : text));
}

/** @param key of a unit */
export function isWord(key: string): boolean {
  return WORD.test(key);
}
