// Reads the tags of objects, which clients write as a JSON array of strings in a vendor attribute.

/** @returns each tag once; undefined if the value is not a JSON array of strings */
export function parseTags(value: string): string[] | undefined {
  try {
    const tags: unknown = JSON.parse(value);
    return Array.isArray(tags) && tags.every((tag) => typeof tag === 'string') ? [...new Set(tags)] : undefined;
  } catch {
    return undefined;
  }
}
