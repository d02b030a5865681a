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
 * ends a word. The alternatives after it: white space, and any other single character.
 */
const UNIT = /([\p{Alphabetic}\p{L}\p{M}\p{N}\p{Pc}]+(?:\p{Join_Control}+[\p{Alphabetic}\p{L}\p{M}\p{N}\p{Pc}]+)*)|(\s+)|./gsu;

/** Word processors write these instead of the signs on the keyboard. */
const SAME_SIGNS: Readonly<Record<string, string>> = { '\u2018': "'", '\u2019': "'", '\uff07': "'", '\u2010': '-', '\u2011': '-' };

export function* unitsOf(text: string): Generator<Unit> {
  for (const match of text.matchAll(UNIT)) {
    const [whole, word, space] = match;
    const key = word !== undefined ? keyOf(word) : space !== undefined ? SPACE : (SAME_SIGNS[whole] ?? whole);
    yield { key, start: match.index, end: match.index + whole.length };
  }
}

/** Words are compared without case and in NFC, because an accent can be encoded in two ways. */
function keyOf(word: string): string {
  return foldCase(word.normalize('NFC')).normalize('NFC');
}
