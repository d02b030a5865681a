// Whether the client has the representation already (RFC 9110 section 13.1.2).

/** @param ifNoneMatch the header: entity tags, or `*` for any */
export function isKnown(ifNoneMatch: string | readonly string[] | undefined, etag: string): boolean {
  const tags = String(ifNoneMatch ?? '');
  return tags.trim() === '*' || tags.includes(etag);
}
