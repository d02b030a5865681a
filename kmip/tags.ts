// Reads the tags of objects, which clients write as a JSON array of strings in a vendor attribute.

/** JSON can escape half of a surrogate pair, which all become the same in UTF-8, and U+0000, which PostgreSQL does not allow in texts. */
export const isStorable = (tag: string): boolean => tag.isWellFormed() && !tag.includes('\0');

/** @returns each tag once; undefined if the value is not a JSON array of strings, or one of them cannot be stored */
export function parseTags(value: string): string[] | undefined {
  try {
    const tags: unknown = JSON.parse(value);
    return Array.isArray(tags) && tags.every((tag) => typeof tag === 'string' && isStorable(tag)) ? [...new Set(tags)] : undefined;
  } catch {
    return undefined;
  }
}
