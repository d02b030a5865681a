// A data key of the server as it lies in the store: wrapped by a key-encryption key, with a value that tells whether it was opened rightly.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { KeyEncryptionKey } from './key-encryption-key.ts';
import type { Reader } from './store/store.ts';

/** `auth` wraps TOTP secrets and signing keys, `keys` the objects of the key server. */
export const DATA_KEYS = ['auth', 'keys'] as const;
export type DataKeyPurpose = (typeof DATA_KEYS)[number];

/** Held while data keys are made or wrapped anew. */
export const DATA_KEY_LOCK = 'gatehouse first start';
export const DATA_KEY_BYTES = 32;
const CHECK_BYTES = 8;
/** What a key of a plugin has wrapped begins with this and the key's identifier; the rest of it is the plugin's. What the root key has wrapped begins with 12 random bytes. */
const PLUGIN_MARK = Buffer.from('gatehouse key-encryption key ');

export interface DataKeyRow {
  readonly purpose: string;
  readonly wrapped: Uint8Array;
  readonly check_value: Uint8Array;
}

export interface OpenedKey {
  readonly bytes: Uint8Array;
  /** All rows that it vouches for have a MAC; told by what it was wrapped for, so that nobody without the key-encryption key can take it back. */
  readonly isSettled: boolean;
}

/** The stored data keys; the columns are those of every version. */
export function dataKeyRows(from: Pick<Reader, 'all'>): Promise<DataKeyRow[]> {
  return from.all<DataKeyRow>('SELECT purpose, wrapped, check_value FROM data_key');
}

/** What a data key is wrapped for. */
export function labelOf(purpose: string, isSettled: boolean): string {
  return isSettled ? `gatehouse data key ${purpose}, rows authenticated` : `gatehouse data key ${purpose}`;
}

export function checkValue(dataKey: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac('sha256', dataKey).update('gatehouse check value').digest().subarray(0, CHECK_BYTES));
}

/** @returns undefined where the key did not wrap it */
export async function openRow(key: KeyEncryptionKey, { purpose, wrapped, check_value: expected }: DataKeyRow): Promise<OpenedKey | undefined> {
  for (const isSettled of [true, false]) {
    const bytes = await key.unwrap(wrapped, labelOf(purpose, isSettled));
    if (bytes && expected.length === CHECK_BYTES && timingSafeEqual(checkValue(bytes), expected)) return { bytes, isSettled };
    bytes?.fill(0);
  }
  return undefined;
}

/** The wrapped bytes with the name of the plugin's key that wrapped them. */
export function withKeyName(id: string, wrapped: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat([PLUGIN_MARK, Buffer.from(`${id}\0`), wrapped]));
}

/** The key of a plugin that wrapped a data key, and the bytes as it made them; undefined where the root key has wrapped it. */
export function pluginKeyIn({ wrapped }: Pick<DataKeyRow, 'wrapped'>): { readonly id: string; readonly wrapped: Uint8Array } | undefined {
  const bytes = Buffer.from(wrapped.buffer, wrapped.byteOffset, wrapped.byteLength);
  const end = bytes.indexOf(0, PLUGIN_MARK.length);
  if (end === -1 || !bytes.subarray(0, PLUGIN_MARK.length).equals(PLUGIN_MARK)) return undefined;
  return { id: bytes.toString('utf8', PLUGIN_MARK.length, end), wrapped: wrapped.subarray(end + 1) };
}
