// Names of keys on tokens, and the CKA_ID of each.
const MAX_NAME_BYTES = 90;

/** CKA_ID and CKA_LABEL are both the name, so that vendor tools find the key by either. An identifier that is a name has no other form. */
export function idOf(name: string): Buffer {
  const bytes = /^0x([0-9a-f]{2})+$/.test(name) ? Buffer.from(name.slice(2), 'hex') : undefined;
  return bytes && asName(bytes) === undefined ? bytes : Buffer.from(name);
}

/** Bytes as a name, if they are a text that an identifier may contain. */
export function asName(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0 || bytes.length > MAX_NAME_BYTES) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return /\p{Cc}|^0x|_pk$|@/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** All names that a key is found by. */
export function namesOf(id: Uint8Array | undefined, label: Uint8Array | undefined): string[] {
  const texts = [id, label].flatMap((bytes) => (bytes && asName(bytes)) ?? []);
  return id && id.length > 0 ? [...texts, `0x${Buffer.from(id).toString('hex')}`] : texts;
}
