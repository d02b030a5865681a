// Splits long lists of identifiers into chunks of few different sizes, because each distinct statement text is prepared separately.

/** Maximum number of identifiers in one statement. */
const CHUNK = 512;

/**
 * Reads all chunks and returns their rows together.
 * @param read gets the parameters of one statement and their placeholders, from `$1` on; padding repeats the first identifier
 */
export async function inChunks<R>(ids: readonly string[], read: (params: string[], places: string) => Promise<R[]>): Promise<R[]> {
  const found: R[] = [];
  for (let at = 0; at < ids.length; at += CHUNK) {
    const part = ids.slice(at, at + CHUNK);
    const size = 2 ** Math.ceil(Math.log2(part.length));
    const params = Array.from({ length: size }, (_, index) => part[index] ?? (part[0] as string));
    found.push(...(await read(params, params.map((_, index) => `$${index + 1}`).join(', '))));
  }
  return found;
}
