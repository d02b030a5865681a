// Reads certificate revocation lists, and checks certificates with them (RFC 5280 section 5).
import { DER, type Element, readInside } from '../der.ts';
import { EXTENSION, readExtensions } from './certificate-extension.ts';
import type { CertificateFacts } from './certificate-facts.ts';
import { readTime } from './certificate-time.ts';
import { isSameName } from './distinguished-name.ts';
import { isSignedBy, readSigned, type SignedDer } from './signed-der.ts';

export interface RevocationList {
  /** DER of the distinguished name. */
  readonly issuer: Buffer;
  /** Seconds since the epoch. */
  readonly thisUpdate: number;
  readonly nextUpdate: number | undefined;
  /** Revocation times by serial number in hexadecimal. */
  readonly revoked: ReadonlyMap<string, number>;
  /** False if a critical extension says that the list does not cover all certificates of its issuer. */
  readonly isWhole: boolean;
  readonly signed: SignedDer;
}

const WHAT = 'the revocation list';

/** @throws CryptoError invalid */
export function readRevocationList(der: Uint8Array): RevocationList {
  const signed = readSigned(der, WHAT);
  const [, issuer, thisUpdate, ...rest] = signed.fields[0]?.tag === DER.integer ? signed.fields.slice(1) : signed.fields;
  const isTime = (each: Element | undefined) => each?.tag === DER.utcTime || each?.tag === DER.generalizedTime;
  const next = rest.find(isTime);
  const entries = rest.find(({ tag }) => tag === DER.sequence);
  const wrapped = rest.find(({ tag }) => tag === 0xa0);
  const extensions = wrapped === undefined ? [] : readExtensions(wrapped.content);
  return {
    issuer: issuer?.whole ?? Buffer.alloc(0),
    thisUpdate: readTime(thisUpdate, WHAT),
    nextUpdate: next === undefined ? undefined : readTime(next, WHAT),
    revoked: new Map((entries === undefined ? [] : readInside(entries, DER.sequence, WHAT)).map(revocation)),
    isWhole: extensions.every(({ critical, oid }) => !critical || oid === EXTENSION.authorityKeyIdentifier),
    signed,
  };
}

function revocation(entry: Element): [string, number] {
  const [serial, time] = readInside(entry, DER.sequence, WHAT);
  return [serial?.content.toString('hex') ?? '', readTime(time, WHAT)];
}

/** @returns why the certificate cannot be accepted at the time `at` (in seconds); undefined if this list is not a reason to reject it */
export function revocationOf(certificate: CertificateFacts, issuer: CertificateFacts, list: RevocationList, at: number): string | undefined {
  if (!isSameName(list.issuer, issuer.subject.der)) return undefined;
  if (!list.isWhole || !isSignedBy(list.signed, issuer.publicKey, WHAT)) return 'the revocation list is not of the issuer';
  if (at < list.thisUpdate || (list.nextUpdate !== undefined && at > list.nextUpdate)) return 'the revocation list is not of this time';
  const time = list.revoked.get(certificate.serialNumber.toString('hex'));
  return time === undefined || time > at ? undefined : 'a certificate was revoked';
}
