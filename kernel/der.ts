// Reads the elements of DER (ITU-T X.690) in certificates and revocation lists that OpenSSL has read, so that lengths are right.

export const [UTC_TIME, GENERALIZED_TIME, INTEGER, VERSION] = [0x17, 0x18, 0x02, 0xa0];
const SEQUENCE = 0x30;

export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  readonly whole: Buffer;
}

/** @returns the fields of the signed part of a certificate or a list, without the version */
export function signedFields(der: Buffer, version: number): readonly Element[] {
  const [signed] = elementsIn(elementsIn(der, SEQUENCE)[0]?.content ?? der, SEQUENCE);
  const fields = elementsIn(signed?.content ?? der);
  return fields[0]?.tag === version ? fields.slice(1) : fields;
}

/** @param first the only tag that is read */
export function elementsIn(der: Buffer, first?: number): readonly Element[] {
  const found: Element[] = [];
  for (let at = 0; at + 1 < der.length; ) {
    const tag = der[at] as number;
    const short = der[at + 1] as number;
    const more = short < 0x80 ? 0 : short & 0x7f;
    const from = at + 2 + more;
    const end = from + (more === 0 ? short : der.readUIntBE(at + 2, more));
    found.push({ tag, content: der.subarray(from, end), whole: der.subarray(at, end) });
    if (tag === first) break;
    at = end;
  }
  return found;
}
