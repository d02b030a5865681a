// Reads a list page by page, with a limited number of rows and bytes in each page.
import { Fault } from '../fault.ts';
import { plannedAnew } from './planned-anew.ts';
import type { Dialect, Reader, SqlValue } from './store.ts';

/** The page that a caller requests. */
export interface PageRequest {
  /** The `next` of the previous page; undefined for the first page. */
  readonly after: string | undefined;
  /** Maximum number of rows. */
  readonly limit: number;
  /** Only rows whose last column of the key, a text, begins with this one. */
  readonly prefix?: string;
}

/** A page with large rows has fewer rows than requested. The list continues as long as there is a `next`. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Approximate size of the rows in bytes. */
  readonly bytes: number;
  /** Cursor of the next page; null at the end. */
  readonly next: string | null;
}

/** A list: rows of a table, in the order of a unique key. */
export interface Listing {
  /** The selected columns, including those of the key. */
  readonly columns: string;
  readonly from: string;
  /** A condition with parameters `$1`, ...; undefined for all rows. */
  readonly where?: string;
  readonly params?: readonly SqlValue[];
  /** The columns of the key in order, with their types. */
  readonly key: Readonly<Record<string, 'string' | 'number'>>;
  /** Of the last column of the key: `byCodePoints`, for a list that is searched by a prefix. */
  readonly collation?: string;
  /** The greatest keys first. */
  readonly isDescending?: boolean;
  /** SQL for the size of a row in bytes. */
  readonly size: string;
}

/** Limits of one page. It always has at least one row, even if that is larger. */
const MAX_PAGE_ROWS = 1_000;
const MAX_PAGE_BYTES = 1_048_576;
/** Added to the size of each row for everything but its texts. */
const ROW_BYTES = 64;

/**
 * The order of code points, in which all texts with one beginning are together. A database of PostgreSQL has the order of a language unless it was made
 * with the locale C: it takes `Ann`, `ann` and `Änne` as neighbours. The index of the list needs this order too.
 */
export const byCodePoints = (dialect: Dialect): string => (dialect === 'postgres' ? ' COLLATE "C"' : '');

/** @throws Fault BAD_REQUEST for an invalid cursor */
export async function readPage<T extends object>(reader: Reader, all: Listing, { after, limit, prefix }: PageRequest): Promise<Page<T>> {
  const listing = prefix === undefined ? all : beginning(all, prefix);
  const { columns, from, size } = listing;
  const key = Object.keys(listing.key);
  const cursor = after === undefined ? [] : parseCursor(after, Object.values(listing.key));
  const values: SqlValue[] = [...(listing.params ?? []), ...cursor];
  const rest = `FROM ${from}${orderedSql(listing, cursor.length > 0)} LIMIT $${values.length + 1}`;
  // First query the sizes, without reading the contents.
  const wanted = Math.min(limit, MAX_PAGE_ROWS);
  const sizes = await reader.all<{ bytes: number }>(plannedAnew(`SELECT ${size} + ${ROW_BYTES} AS bytes ${rest}`), [...values, wanted + 1]);
  const { rows, bytes } = fitRows(sizes.slice(0, wanted));
  if (rows === 0) return { items: [], bytes: 0, next: null };
  const items = await reader.all<T>(plannedAnew(`SELECT ${columns} ${rest}`), [...values, rows]);
  const last = items.at(-1) as Record<string, SqlValue> | undefined;
  return { items, bytes, next: sizes.length > rows && last ? cursorOf(key.map((column) => last[column] ?? null)) : null };
}

/** SQL for the condition and the order of a listing; the parameters of the cursor, if there is one, come after those of the listing. */
export function orderedSql({ where, params = [], key, collation = '', isDescending = false }: Listing, hasCursor: boolean): string {
  const columns = Object.keys(key).map((column, at, { length }) => (at === length - 1 ? column + collation : column));
  const begin = columns.map((_, at) => `$${params.length + at + 1}`);
  const conditions = [...(where === undefined ? [] : [`(${where})`]), ...(hasCursor ? [`(${columns}) ${isDescending ? '<' : '>'} (${begin})`] : [])];
  return `${conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''} ORDER BY ${columns.map((column) => (isDescending ? `${column} DESC` : column))}`;
}

/** A range of the key, which an index finds. */
function beginning(listing: Listing, prefix: string): Listing {
  const { where, params = [], key, collation = '' } = listing;
  const column = Object.keys(key).at(-1) + collation;
  const range = `${column} >= $${params.length + 1} AND ${column} < $${params.length + 2}`;
  return { ...listing, where: where === undefined ? range : `(${where}) AND ${range}`, params: [...params, prefix, behind(prefix)] };
}

/** Characters in a key that is a text: names have at most 255. */
const LONGEST_KEY = 255;
const LAST_CODE_POINT = 0x10ffff;
const [BEFORE_SURROGATES, BEHIND_SURROGATES] = [0xd7ff, 0xe000];

/** The least text, in the order of code points, that is greater than all texts that begin with `prefix`. */
function behind(prefix: string): string {
  const points = Array.from(prefix, (each) => each.codePointAt(0) as number);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  // Nothing comes after a prefix of U+10FFFF alone: the range ends where no key is as long.
  if (last === undefined) return String.fromCodePoint(LAST_CODE_POINT).repeat(LONGEST_KEY + 1);
  return String.fromCodePoint(...points, last === BEFORE_SURROGATES ? BEHIND_SURROGATES : last + 1);
}

/** @returns the page with each item mapped */
export function mapPage<A, B>({ items, ...rest }: Page<A>, make: (item: A) => B): Page<B> {
  return { ...rest, items: items.map(make) };
}

function fitRows(sizes: readonly { readonly bytes: number }[]): { rows: number; bytes: number } {
  let [rows, bytes] = [0, 0];
  for (const { bytes: size } of sizes) {
    if (rows > 0 && bytes + Number(size) > MAX_PAGE_BYTES) break;
    rows += 1;
    bytes += Number(size);
  }
  return { rows, bytes };
}

export function cursorOf(values: readonly SqlValue[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** @throws Fault BAD_REQUEST */
export function parseCursor(text: string, types: readonly ('string' | 'number')[]): SqlValue[] {
  try {
    const values = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown;
    const isRight = (value: unknown, at: number) => (types[at] === 'string' ? typeof value === 'string' && value.isWellFormed() : Number.isSafeInteger(value));
    if (Array.isArray(values) && values.length === types.length && values.every(isRight)) return values as SqlValue[];
  } catch {
    // Refused below.
  }
  throw new Fault('BAD_REQUEST', { detail: 'query/after: is not a valid cursor; use the value from the previous page' });
}
