// Reads the beginning of a list: no page that is not shown.
import { flag } from './command.ts';
import { whole } from './number.ts';

/** Entries of a page at most, as the server allows. */
const MAX_PAGE = 1_000;

/** The flag of the commands that list. */
export const LIMIT = flag('--limit <number>', 'how many at most (default: all)');

export interface Limit {
  readonly limit?: string;
}

/** @param list makes the list from the size of its pages @param most a number, or the flag as it was given; undefined for all */
export async function first<T>(list: (limit: number) => AsyncIterable<T>, most: string | number | undefined): Promise<T[]> {
  const limit = (typeof most === 'number' ? most : whole('--limit', most, 1)) ?? Number.POSITIVE_INFINITY;
  const found: T[] = [];
  // Pages of the same size, so that the last one is used up too.
  const page = Number.isFinite(limit) ? Math.ceil(limit / Math.ceil(limit / MAX_PAGE)) : MAX_PAGE;
  for await (const item of list(page)) if (found.push(item) >= limit) break;
  return found;
}
