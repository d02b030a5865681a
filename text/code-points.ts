// Counts the characters of a text as code points, which is how JSON Schema, and so the OpenAPI document, counts them.

/** @returns whether the text has more characters than `most` */
export function isLonger(text: string, most: number): boolean {
  // A character has at most two UTF-16 units, so a much longer text need not be counted.
  return text.length > most && (text.length > 2 * most || [...text].length > most);
}
