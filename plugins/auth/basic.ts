// Parses HTTP Basic credentials (RFC 7617) strictly.
import { normalName, normalPassword } from '../../kernel/normal-form.ts';

export interface BasicCredentials {
  /** Normalised to NFC once, so that later comparisons can compare bytes. */
  readonly username: string;
  /** UTF-8 of the NFC form, in a buffer of its own, because it is moved to the thread that hashes it. */
  readonly password: Uint8Array;
}

// A name may begin with U+FEFF, which is no byte order mark here.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @returns undefined if the header is missing, malformed or of another scheme, or if the name or the password is too long */
export function parseBasic(authorization: string | undefined): BasicCredentials | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  try {
    const text = utf8.decode(bytes);
    const colon = text.indexOf(':');
    if (colon === -1) return undefined;
    const username = normalName(text.slice(0, colon));
    const password = normalPassword(text.slice(colon + 1));
    return username === undefined || password === undefined ? undefined : { username, password: passwordBytes(password) };
  } catch {
    return undefined;
  } finally {
    bytes.fill(0);
  }
}

/** @param password in NFC */
export function passwordBytes(password: string): Uint8Array {
  const encoded = new TextEncoder().encode(password);
  // The encoder may return a view of a larger buffer; bytes that are moved to a thread need a buffer of their own.
  const owned = new Uint8Array(encoded);
  encoded.fill(0);
  return owned;
}
