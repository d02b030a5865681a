// The form of a backup file: gzip of lines of JSON; a header, for each table a line and its rows, and an end that vouches for all before it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SqlValue } from '../store/store.ts';

/** What keeps a backup from being made or restored, in words for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export const FORMAT = 'gatehouse backup';
/** Grows when what is written cannot be read by what is there. */
export const FORMAT_VERSION = 1;

/** The last migration of each owner whose tables are in the backup. */
export type Levels = Readonly<Record<string, number>>;

export interface Header {
  readonly format: typeof FORMAT;
  readonly version: number;
  /** Version of the gatehouse that wrote it. */
  readonly server: string;
  /** Milliseconds since the epoch. */
  readonly made_at: number;
  /** ID of the root key that opens the data keys in it. */
  readonly root_key: string;
  readonly migrations: Levels;
}

/** Begins the rows of a table; each row is an array of values in the order of these columns. */
export interface Table {
  readonly table: string;
  readonly columns: readonly string[];
}

export interface End {
  readonly end: true;
  readonly rows: number;
  /** SHA-256 of every byte before this line, unpacked; hexadecimal. */
  readonly sha256: string;
  /** HMAC-SHA-256 of that digest by a key derived from the data key for authentication: only who has the root key can have written it. */
  readonly mac: string;
}

export function encodeRow(values: readonly SqlValue[]): string {
  return `${JSON.stringify(values.map((value) => (value instanceof Uint8Array ? { b: Buffer.from(value).toString('base64') } : value)))}\n`;
}

/** @returns undefined for what no row can be */
export function decodeRow(line: unknown): SqlValue[] | undefined {
  if (!Array.isArray(line)) return undefined;
  const values: SqlValue[] = [];
  for (const value of line as readonly unknown[]) {
    const bytes = (value as { b?: unknown } | null)?.b;
    if (value === null || typeof value === 'string' || typeof value === 'number') values.push(value);
    else if (typeof bytes === 'string') values.push(new Uint8Array(Buffer.from(bytes, 'base64')));
    else return undefined;
  }
  return values;
}

/** @param dataKey for authentication @param sha256 hexadecimal */
export function macOf(dataKey: Uint8Array, sha256: string): string {
  const key = createHmac('sha256', dataKey).update(FORMAT).digest();
  const mac = createHmac('sha256', key).update(sha256, 'hex').digest('hex');
  key.fill(0);
  return mac;
}

export function isMac(dataKey: Uint8Array, { sha256, mac }: End): boolean {
  const expected = Buffer.from(macOf(dataKey, sha256));
  const given = Buffer.from(mac);
  return expected.length === given.length && timingSafeEqual(expected, given);
}
