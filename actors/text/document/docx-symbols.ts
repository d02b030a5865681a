// Signs that a docx takes from a font of symbols by their number there (ECMA-376 part 1, section 17.3.3.30): Greek letters, arrows that Word makes of `-->`, ticks.
import type { Attributes } from './markup.ts';

/** Stands where a box is ticked. */
export const TICK = '☒';

/** Where Unicode has fonts that are not of its own. */
const PRIVATE = 0xf000;

/** From the space on, as Adobe's font Symbol has them; a space where it has nothing that is read. */
const SYMBOL = [
  ' !∀#∃%&∋()∗+,−./0123456789:;<=>?',
  '≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_',
  ' αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼ ',
  '                                ',
  '€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…   ',
  'ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓',
  '◊〈®©™∑                          ',
].join('');

const DINGBATS: ReadonlyMap<number, string> = new Map([
  ...[0x78, 0xfd].map((code) => [code, TICK] as const),
  ...[0xfe].map((code) => [code, '☑'] as const),
  ...[0x6f, 0xa8].map((code) => [code, '☐'] as const),
  ...[0xfc].map((code) => [code, '✓'] as const),
  ...[0xfb].map((code) => [code, '✗'] as const),
  ...[0xe0, 0xe8, 0xf0].map((code) => [code, '→'] as const),
  ...[0xdf, 0xe7, 0xef].map((code) => [code, '←'] as const),
  ...[0xf3].map((code) => [code, '⇔'] as const),
]);

/** @returns the sign; a space for one that nobody reads, which would join the words around it */
export function symbolOf({ font = '', char = '' }: Attributes): string {
  const number = Number.parseInt(char, 16);
  if (!(number > 0 && number <= 0xffff)) return ' ';
  const code = number >= PRIVATE ? number - PRIVATE : number;
  if (/^symbol/i.test(font)) return SYMBOL[code - 0x20] ?? ' ';
  if (/^wingdings$/i.test(font)) return DINGBATS.get(code) ?? ' ';
  return number >= 0xd800 && number <= 0xf8ff ? ' ' : String.fromCharCode(number);
}
