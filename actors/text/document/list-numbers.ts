// Writes the number of a list's item in the way that the list names: digits, letters or Roman numerals.

const LETTERS = 26;
/** Of letters that stand several times; above, a number is written in digits. */
const MAX_REPEATED = 780;
const MAX_ROMAN = 3_999;
const ROMAN = [
  [1_000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
] as const;

export function romanNumber(value: number): string {
  if (value < 1 || value > MAX_ROMAN) return String(value);
  let [rest, text] = [value, ''];
  for (const [each, sign] of ROMAN) for (; rest >= each; rest -= each) text += sign;
  return text;
}

const letter = (value: number): string => String.fromCharCode('a'.charCodeAt(0) + ((value - 1) % LETTERS));

/** As word processors count: z, aa, bb. */
export function repeatedLetter(value: number): string {
  return value < 1 || value > MAX_REPEATED ? String(value) : letter(value).repeat(Math.ceil(value / LETTERS));
}

/** As browsers count: z, aa, ab. */
export function letterNumber(value: number): string {
  if (value < 1) return String(value);
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor((rest - 1) / LETTERS)) text = letter(rest) + text;
  return text;
}
