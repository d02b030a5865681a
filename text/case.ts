// Folds case: two texts that differ in case only become one.

const ASCII = /^[\0-\x7f]*$/;

/**
 * Full case folding of Unicode, as STRASSE is the upper case of Straße. Lower case alone keeps letters apart that have one upper case, and upper case
 * alone those that have one lower case. The dotless i folds to itself: it is another letter than i, though both have the upper case I.
 */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  if (ASCII.test(lower)) return lower;
  const upper = lower.replaceAll(/[^ı]+/gu, (part) => part.toUpperCase());
  return upper.toLowerCase().replaceAll('ς', 'σ');
}
