// A data key of the server as stored: wrapped by a key-encryption key, with a check value that shows whether it was opened correctly.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Reader, Transaction } from '../store/store.ts';
import type { KeyEncryptionKey } from './key-encryption-key.ts';

/** `auth` seals TOTP secrets and signing keys, `keys` the objects of the key server, `documents` what is in documentary bases. */
export const DATA_KEYS = ['auth', 'keys', 'documents'] as const;
export type DataKeyPurpose = (typeof DATA_KEYS)[number];

/** Lock for creating and rewrapping data keys. */
export const DATA_KEY_LOCK = 'gatehouse first start';
export const DATA_KEY_BYTES = 32;
const CHECK_BYTES = 8;
/** Bytes wrapped by a plugin's key begin with this mark and the identifier of the key; the rest comes from the plugin. Bytes wrapped by the root key begin with 12 random bytes. */
const PLUGIN_MARK = Buffer.from('gatehouse key-encryption key ');

export interface DataKeyRow {
  readonly purpose: string;
  readonly wrapped: Uint8Array;
  readonly check_value: Uint8Array;
}

export interface OpenedKey {
  readonly bytes: Uint8Array;
  /** All rows that this key authenticates have a MAC. It is part of the wrapping label, so that nobody can reset it without the key-encryption key. */
  readonly isSettled: boolean;
}

/** @returns the stored data keys, from columns that all versions have */
export function dataKeyRows(from: Pick<Reader, 'all'>): Promise<DataKeyRow[]> {
  return from.all<DataKeyRow>('SELECT purpose, wrapped, check_value FROM data_key');
}

/** @param now milliseconds since the epoch */
export async function insertDataKey(tx: Transaction, { purpose, wrapped, check_value: check }: DataKeyRow, now: number): Promise<void> {
  await tx.run('INSERT INTO data_key (purpose, wrapped, check_value, created_at) VALUES ($1, $2, $3, $4)', [purpose, wrapped, check, now]);
}

/** @returns the label that a data key is wrapped with */
export function labelOf(purpose: string, isSettled: boolean): string {
  const bare = `gatehouse data key ${purpose}`;
  if (!isSettled) return bare;
  return purpose === 'documents' ? `${bare}, rows sealed` : `${bare}, rows authenticated`;
}

/** Keys for documents had this label from their creation, when rows in clear were still read: it says nothing of the rows. */
const EARLIER = [{ label: 'gatehouse data key documents, rows authenticated', isSettled: false }];

function labelsOf(purpose: string): readonly { readonly label: string; readonly isSettled: boolean }[] {
  const known = [true, false].map((isSettled) => ({ label: labelOf(purpose, isSettled), isSettled }));
  return purpose === 'documents' ? [...known, ...EARLIER] : known;
}

export function checkValue(dataKey: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac('sha256', dataKey).update('gatehouse check value').digest().subarray(0, CHECK_BYTES));
}

/** @returns undefined if this key did not wrap it */
export async function openRow(key: KeyEncryptionKey, { purpose, wrapped, check_value: expected }: DataKeyRow): Promise<OpenedKey | undefined> {
  for (const { label, isSettled } of labelsOf(purpose)) {
    const bytes = await key.unwrap(wrapped, label);
    if (bytes && expected.length === CHECK_BYTES && timingSafeEqual(checkValue(bytes), expected)) return { bytes, isSettled };
    bytes?.fill(0);
  }
  return undefined;
}

/** @returns the wrapped bytes, preceded by the name of the plugin's key that wrapped them */
export function withKeyName(id: string, wrapped: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat([PLUGIN_MARK, Buffer.from(`${id}\0`), wrapped]));
}

/** @returns the plugin's key that wrapped a data key, and the bytes from the plugin; undefined if the root key wrapped it */
export function pluginKeyIn({ wrapped }: Pick<DataKeyRow, 'wrapped'>): { readonly id: string; readonly wrapped: Uint8Array } | undefined {
  const bytes = Buffer.from(wrapped.buffer, wrapped.byteOffset, wrapped.byteLength);
  const end = bytes.indexOf(0, PLUGIN_MARK.length);
  if (end === -1 || !bytes.subarray(0, PLUGIN_MARK.length).equals(PLUGIN_MARK)) return undefined;
  return { id: bytes.toString('utf8', PLUGIN_MARK.length, end), wrapped: wrapped.subarray(end + 1) };
}
