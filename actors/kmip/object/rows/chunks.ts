// Reads the rows of long lists of identifiers by statements of bounded length.
import { CHUNK, valueList } from '../../../../kernel/store/value-list.ts';

/**
 * Reads all chunks and returns their rows together.
 * @param read gets the parameters of one statement and their placeholders, from `$1` on; padding repeats the first identifier
 */
export async function inChunks<R>(ids: readonly string[], read: (params: readonly string[], places: string) => Promise<R[]>): Promise<R[]> {
  const found: R[] = [];
  for (let at = 0; at < ids.length; at += CHUNK) {
    const { sql, params } = valueList(ids.slice(at, at + CHUNK), 1);
    found.push(...(await read(params, sql)));
  }
  return found;
}
