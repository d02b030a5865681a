// CKA_EC_POINT: a DER octet string in the standard, the bare point with some tokens (PKCS #11 v2.40 section 2.3.3).

export function octetString(point: Uint8Array): Uint8Array {
  const { length } = point;
  const head = length < 0x80 ? [4, length] : length < 0x100 ? [4, 0x81, length] : [4, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), point]);
}

/** The point without its wrapping, if it has one. */
export function bare(value: Uint8Array): Uint8Array {
  for (const head of [2, 3, 4]) {
    const inside = value.subarray(head);
    if (inside.length > 0 && Buffer.from(octetString(inside)).equals(value)) return inside;
  }
  return value;
}
