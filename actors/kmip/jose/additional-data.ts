// The additional authenticated data of a JWE: its protected header, and `aad` if it is present (RFC 7516 section 5.1 step 14).
import { type Members, optionalOctets, text } from './members.ts';

/** The `aad` of a body, as sent; an empty string counts as absent (RFC 7516 section 7.2.1). @throws Problem bad_request */
export function additionalText(body: Members): string | undefined {
  const aad = optionalOctets(body, 'aad');
  return aad === undefined || aad.length === 0 ? undefined : text(body, 'aad');
}

/** @param header `octets` is `encoded` in ASCII */
export function toAuthenticatedData({ encoded, octets }: { encoded: string; octets: Uint8Array }, aad: string | undefined): Uint8Array {
  return aad === undefined ? octets : Buffer.from(`${encoded}.${aad}`, 'latin1');
}
