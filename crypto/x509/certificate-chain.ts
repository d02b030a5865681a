// Validates a chain of certificates, which may be in any order (RFC 5280 section 6.1, KMIP 2.1 section 6.1.57).
import { CryptoError } from '../crypto-error.ts';
import { contentOf, DER, hasNamedBit, readElement, readInside, readUnsigned } from '../der.ts';
import { EXTENSION, KEY_USAGE } from './certificate-extension.ts';
import { type CertificateFacts, certificateFacts, isSelfIssued } from './certificate-facts.ts';
import { requirePolicies } from './chain-policies.ts';
import { requireWithinConstraints } from './constrained-names.ts';
import { isSameName } from './distinguished-name.ts';
import { type RevocationList, readRevocationList, revocationOf } from './revocation-list.ts';
import { isSignedBy } from './signed-der.ts';

interface Validity {
  readonly valid: boolean;
  /** The reason, if it is not valid. */
  readonly why?: string;
  /** The certificate of an issuer is missing, so it is unknown whether the chain is valid. */
  readonly incomplete?: true;
}

const WHAT = 'the certificate';

/** Critical extensions that are checked here, or that do not affect the chain. */
const UNDERSTOOD: readonly string[] = Object.values(EXTENSION);

class Invalid extends Error {}
class Incomplete extends Error {}

/**
 * The certificates must form one chain, from one that issued none of the others up to a self-signed one. Checks signatures, times,
 * basic constraints, path lengths, key usage, name constraints, policies, and that critical extensions are known.
 * The self-signed certificate counts as trusted; the caller must decide whether it is. Revocation is checked only in the given lists.
 * @param at seconds since the epoch
 */
export function validateChain(certificates: readonly Uint8Array[], at: number, revocationLists: readonly Uint8Array[] = []): Validity {
  try {
    const chain = orderChain(distinct(certificates).map(certificateFacts));
    const lists = revocationLists.map(readRevocationList);
    for (const [index, certificate] of chain.entries()) check(certificate, index, chain, at, lists);
    requirePolicies(chain);
    return { valid: true };
  } catch (error) {
    if (error instanceof Incomplete) return { valid: false, why: error.message, incomplete: true };
    if (error instanceof Invalid || error instanceof CryptoError) return { valid: false, why: error.message };
    throw error;
  }
}

function distinct(certificates: readonly Uint8Array[]): Uint8Array[] {
  return [...new Map(certificates.map((der) => [Buffer.from(der).toString('base64'), der])).values()];
}

const isIssued = (certificate: CertificateFacts, by: CertificateFacts): boolean =>
  isSameName(certificate.issuer.der, by.subject.der) && isSignedBy(certificate.signed, by.publicKey, WHAT);

/** Sorts the certificates from the leaf to the root. */
function orderChain(all: readonly CertificateFacts[]): CertificateFacts[] {
  const issuersOf = new Map(all.map((each) => [each, all.filter((other) => other !== each && isIssued(each, other))]));
  const isSelfSigned = (each: CertificateFacts): boolean => isIssued(each, each);
  const issuing = new Set(all.flatMap((each) => (isSelfSigned(each) ? [] : (issuersOf.get(each) ?? []))));
  const [leaf, ...others] = all.length === 1 ? all : all.filter((each) => !issuing.has(each));
  if (leaf === undefined || others.length > 0) throw new Invalid('the certificates are not one chain');
  const chain = [leaf];
  for (let last = leaf; !isSelfSigned(last); chain.push(last)) {
    const issuer = issuersOf.get(last)?.find((each) => !chain.includes(each));
    if (issuer === undefined) throw noIssuer(last, all);
    last = issuer;
  }
  if (chain.length !== all.length) throw new Invalid('the certificates are not one chain');
  return chain;
}

/** If the issuer that the certificate names is present, the signature is wrong; otherwise the issuer is missing. */
function noIssuer(certificate: CertificateFacts, all: readonly CertificateFacts[]): Error {
  const isNamed = all.some(({ subject }) => isSameName(subject.der, certificate.issuer.der));
  return isNamed ? new Invalid('a signature is wrong') : new Incomplete('the certificate of an issuer is missing');
}

function check(certificate: CertificateFacts, index: number, chain: readonly CertificateFacts[], at: number, lists: readonly RevocationList[]): void {
  if (at < certificate.notBefore) throw new Invalid('a certificate is not valid yet');
  if (at > certificate.notAfter) throw new Invalid('a certificate has expired');
  if (certificate.extensions.some(({ critical, oid }) => critical && !UNDERSTOOD.includes(oid))) throw new Invalid('a critical extension is unknown');
  if (certificate.signatureAlgorithm === 'MD5WithRSAEncryption') throw new Invalid('a signature uses MD5, which is not accepted');
  if (index > 0) checkAuthority(certificate, chain.slice(0, index));
  const issuer = chain[index + 1];
  if (issuer === undefined) return;
  for (const list of lists) {
    const why = revocationOf(certificate, issuer, list, at);
    if (why !== undefined) throw new Invalid(why);
  }
}

/** @param below the leaf, then the authorities between it and this certificate */
function checkAuthority(certificate: CertificateFacts, below: readonly CertificateFacts[]): void {
  const constraints = extensionValue(certificate, EXTENSION.basicConstraints);
  const [ca, pathLength] = constraints === undefined ? [] : readInside(readElement(constraints, WHAT), DER.sequence, WHAT);
  if (ca?.tag !== DER.boolean || ca.content[0] === 0) throw new Invalid('an issuer is not a certification authority');
  const counted = below.slice(1).filter((each) => !isSelfIssued(each)).length;
  if (pathLength !== undefined && BigInt(counted) > readUnsigned(pathLength, WHAT)) throw new Invalid('the chain is longer than an authority allows');
  const names = extensionValue(certificate, EXTENSION.nameConstraints);
  if (names !== undefined) for (const [index, each] of below.entries()) if (index === 0 || !isSelfIssued(each)) requireWithinConstraints(each, names);
  const usage = extensionValue(certificate, EXTENSION.keyUsage);
  if (usage === undefined) return;
  const bits = contentOf(readElement(usage, WHAT), DER.bits, WHAT);
  if (!hasNamedBit(bits, KEY_USAGE.indexOf('keyCertSign'))) throw new Invalid('the key of an issuer must not sign certificates');
}

const extensionValue = (certificate: CertificateFacts, oid: string): Buffer | undefined => certificate.extensions.find((each) => each.oid === oid)?.value;
