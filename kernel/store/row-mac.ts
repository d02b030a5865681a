// Computes MACs of rows, so that somebody who can write to the database cannot forge them.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/**
 * HMAC-SHA-256.
 * @param kind of row; MACs of different kinds never match @param fields as stored; each is preceded by its length, so that different lists give different bytes
 */
export function rowMac(key: KeyObject, kind: string, fields: readonly (string | Uint8Array)[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const field of [kind, ...fields]) {
    const bytes = typeof field === 'string' ? Buffer.from(asStored(field)) : field;
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32BE(bytes.length);
    parts.push(length, bytes);
  }
  return createHmac('sha256', key).update(Buffer.concat(parts)).digest();
}

/** Compares in constant time. */
export function isSameMac(given: Uint8Array | null | undefined, expected: Uint8Array): boolean {
  return given?.length === expected.length && timingSafeEqual(given, expected);
}

/** The text as it is read back: PostgreSQL texts cannot contain U+0000, so it is stored as U+FFFD. */
function asStored(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}
