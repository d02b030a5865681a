// Defines the format of a backup file: gzip of JSON lines. A header, for each table a line and its rows, and an end line that authenticates the rest.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SqlValue } from '../store/store.ts';

/** Why a backup cannot be made or restored, as a text for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export const FORMAT = 'gatehouse backup';
/** Increased when existing versions could not read the new format. */
export const FORMAT_VERSION = 1;

/** The number of the last migration of each owner. */
export type Levels = Readonly<Record<string, number>>;

export interface Header {
  readonly format: typeof FORMAT;
  readonly version: number;
  /** Version of the gatehouse that wrote the file. */
  readonly server: string;
  /** Milliseconds since the epoch. */
  readonly made_at: number;
  /** ID of the root key that opens the data keys in it. */
  readonly root_key: string;
  readonly migrations: Levels;
}

/** Stands before the rows of a table. Each row is an array of values in the order of these columns. */
export interface Table {
  readonly table: string;
  readonly columns: readonly string[];
}

export interface End {
  readonly end: true;
  readonly rows: number;
  /** SHA-256 of all uncompressed bytes before this line; hexadecimal. */
  readonly sha256: string;
  /** HMAC-SHA-256 of that digest with a key derived from the data key for authentication: only somebody with the root key can write it. */
  readonly mac: string;
}

export function encodeRow(values: readonly SqlValue[]): string {
  return `${JSON.stringify(values.map((value) => (value instanceof Uint8Array ? { b: Buffer.from(value).toString('base64') } : value)))}\n`;
}

/** @returns undefined if the line is not a valid row */
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

/** @param dataKey the data key for authentication @param sha256 hexadecimal */
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
