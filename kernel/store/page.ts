// Reads a list page by page: a bounded number of rows and of bytes at once, whatever the rows hold.
import { Fault } from '../fault.ts';
import type { Reader, SqlValue } from './store.ts';

/** What a caller asks for. */
export interface PageRequest {
  /** The `next` of the page before; undefined for the first. */
  readonly after: string | undefined;
  /** Rows at most. */
  readonly limit: number;
}

/** Fewer rows than were asked for where they are large: the list goes on while there is a `next`. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Bytes that the rows hold, about. */
  readonly bytes: number;
  /** Cursor of the page after; null at the end. */
  readonly next: string | null;
}

/** A list: rows of a table, in the order of a unique key. */
export interface Listing {
  /** Of what is answered; the columns of the key among them. */
  readonly columns: string;
  readonly from: string;
  /** A condition with parameters `$1`, ...; undefined for all rows. */
  readonly where?: string;
  readonly params?: readonly SqlValue[];
  /** Its columns in order. */
  readonly key: Readonly<Record<string, 'string' | 'number'>>;
  /** SQL for the bytes of a row. */
  readonly size: string;
}

/** Rows and bytes of one page at most; one row is always in it, however large it is. */
const MAX_PAGE_ROWS = 1_000;
const MAX_PAGE_BYTES = 1_048_576;
/** What a row costs beside its texts. */
const ROW_BYTES = 64;

/** @throws Fault BAD_REQUEST for a cursor that is none of this list */
export async function readPage<T extends object>(reader: Reader, listing: Listing, { after, limit }: PageRequest): Promise<Page<T>> {
  const { columns, from, where, params = [], size } = listing;
  const key = Object.keys(listing.key);
  const cursor = after === undefined ? [] : parseCursor(after, Object.values(listing.key));
  const values: SqlValue[] = [...params, ...cursor];
  const place = (at: number) => `$${params.length + at + 1}`;
  const conditions = [...(where === undefined ? [] : [`(${where})`]), ...(after === undefined ? [] : [`(${key}) > (${key.map((_, at) => place(at))})`])];
  const rest = `FROM ${from}${conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''} ORDER BY ${key} LIMIT ${place(cursor.length)}`;
  // What the rows hold is asked for first, without reading it.
  const wanted = Math.min(limit, MAX_PAGE_ROWS);
  const sizes = await reader.all<{ bytes: number }>(`SELECT ${size} + ${ROW_BYTES} AS bytes ${rest}`, [...values, wanted + 1]);
  const { rows, bytes } = fitting(sizes.slice(0, wanted));
  if (rows === 0) return { items: [], bytes: 0, next: null };
  const items = await reader.all<T>(`SELECT ${columns} ${rest}`, [...values, rows]);
  const last = items.at(-1) as Record<string, SqlValue> | undefined;
  return { items, bytes, next: sizes.length > rows && last ? cursorOf(key.map((column) => last[column] ?? null)) : null };
}

/** The same page of other items. */
export function mapPage<A, B>({ items, ...rest }: Page<A>, make: (item: A) => B): Page<B> {
  return { ...rest, items: items.map(make) };
}

function fitting(sizes: readonly { readonly bytes: number }[]): { rows: number; bytes: number } {
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
    // Told below, like a cursor of the wrong form.
  }
  throw new Fault('BAD_REQUEST', { detail: 'query/after: is no cursor of ours' });
}
