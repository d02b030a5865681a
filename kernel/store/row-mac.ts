// MACs of rows: what the database holds and does not decide.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/**
 * HMAC-SHA-256.
 * @param kind of row: the MAC of one kind is none of another @param fields as they are stored; each with its length, so that no two lists are the same bytes
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

/** In a time that tells nothing of where they differ. */
export function isSameMac(given: Uint8Array | null | undefined, expected: Uint8Array): boolean {
  return given?.length === expected.length && timingSafeEqual(given, expected);
}

/** PostgreSQL's texts cannot hold U+0000: what is read is not what was written. */
function asStored(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}
