// Until when the revocation lists of client certificates hold. OpenSSL looks at that in a full handshake only, and connections and sessions live on.
import { type Element, GENERALIZED_TIME, INTEGER, signedFields, UTC_TIME, VERSION } from '../../der.ts';
import { derOf } from '../../pem.ts';

export interface RevocationListTerm {
  /** DER of the issuer's name. */
  readonly issuer: Buffer;
  /** Milliseconds since the epoch: nextUpdate, or infinity. */
  readonly to: number;
}

/** @param lists PEM blocks that OpenSSL has read */
export function termsOf(lists: readonly string[]): readonly RevocationListTerm[] {
  return lists.map((block) => {
    // RFC 5280 section 5.1: version, algorithm, issuer, thisUpdate, nextUpdate; the first and the last may be missing.
    const [, issuer, , next] = signedFields(derOf(block), INTEGER);
    const hasEnd = next && (next.tag === UTC_TIME || next.tag === GENERALIZED_TIME);
    return { issuer: issuer?.whole ?? Buffer.alloc(0), to: hasEnd ? timeOf(next) : Number.POSITIVE_INFINITY };
  });
}

/**
 * @param certificate DER
 * @returns when the last list of its issuer ends, in milliseconds since the epoch. OpenSSL compares names more loosely than bytes: if no list has this name, the first end of all counts
 */
export function endOfLists(terms: readonly RevocationListTerm[], certificate: Buffer): number {
  // RFC 5280 section 4.1: version, serialNumber, signature, issuer.
  const [, , issuer] = signedFields(certificate, VERSION);
  const own = terms.filter((each) => issuer?.whole.equals(each.issuer));
  return own.length > 0 ? Math.max(...own.map(({ to }) => to)) : Math.min(...terms.map(({ to }) => to));
}

/** RFC 5280 section 5.1.2.4: seconds and Z. A year of two digits is one of 1950 to 2049. */
function timeOf({ tag, content }: Element): number {
  const text = content.toString('latin1');
  const full = tag === UTC_TIME ? `${Number(text.slice(0, 2)) < 50 ? '20' : '19'}${text}` : text;
  return Date.parse(full.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}
