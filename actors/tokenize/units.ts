// A text as the words and signs that lists of entries are compared by.

/** Part of a text: a word, a run of white space, or one other character. */
export interface Unit {
  /** What the unit is compared by: case, normal form and typographic variants make no difference. */
  readonly key: string;
  /** UTF-16 indices into the text. */
  readonly start: number;
  readonly end: number;
}

const SPACE = ' ';

/**
 * A word: letters, marks, numbers, connecting punctuation, and between them what joins letters invisibly (Unicode TS 18, `\w`). A hyphen or
 * an apostrophe ends it. Then white space, then any other character.
 */
const UNIT = /([\p{Alphabetic}\p{L}\p{M}\p{N}\p{Pc}]+(?:\p{Join_Control}+[\p{Alphabetic}\p{L}\p{M}\p{N}\p{Pc}]+)*)|(\s+)|./gsu;

/** Word processors write these in place of the signs on the keyboard. */
const SAME_SIGNS: Readonly<Record<string, string>> = { '\u2018': "'", '\u2019': "'", '\uff07': "'", '\u2010': '-', '\u2011': '-' };

export function* unitsOf(text: string): Generator<Unit> {
  for (const match of text.matchAll(UNIT)) {
    const [whole, word, space] = match;
    const key = word !== undefined ? keyOf(word) : space !== undefined ? SPACE : (SAME_SIGNS[whole] ?? whole);
    yield { key, start: match.index, end: match.index + whole.length };
  }
}

/** Words are compared without case, and composed: an accent may be written in two ways. */
function keyOf(word: string): string {
  return word.toLowerCase().normalize('NFC');
}
