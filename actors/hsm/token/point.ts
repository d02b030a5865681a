// CKA_EC_POINT: a DER octet string in the standard, the bare point with some tokens (PKCS #11 v2.40 section 2.3.3).

export function octetString(point: Uint8Array): Uint8Array {
  const { length } = point;
  const head = length < 0x80 ? [4, length] : length < 0x100 ? [4, 0x81, length] : [4, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), point]);
}

/** Lengths of bare points: on Ed25519 and X25519, and both coordinates behind a 4 on P-224, P-256, P-384 and P-521. A wrapped one has none of these. */
const BARE_BYTES: ReadonlySet<number> = new Set([32, 57, 65, 97, 133]);

/** The point without its wrapping, if it has one: the first bytes of a bare one may look like that. */
export function bare(value: Uint8Array): Uint8Array {
  if (BARE_BYTES.has(value.length)) return value;
  for (const head of [2, 3, 4]) {
    const inside = value.subarray(head);
    if (inside.length > 0 && Buffer.from(octetString(inside)).equals(value)) return inside;
  }
  return value;
}
