// Tags of objects as clients write them: a JSON array of texts in one vendor attribute.

/** Undefined for what is no JSON array of texts. */
export function parseTags(value: string): string[] | undefined {
  try {
    const tags: unknown = JSON.parse(value);
    return Array.isArray(tags) && tags.every((tag) => typeof tag === 'string') ? [...new Set(tags)] : undefined;
  } catch {
    return undefined;
  }
}
