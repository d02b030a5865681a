// Decides whether the names of a certificate lie within the name constraints of an authority above it (RFC 5280 sections 4.2.1.10 and 6.1.4).
import { CryptoError } from '../crypto-error.ts';
import { DER, type Element, readElement, readInside } from '../der.ts';
import { EXTENSION } from './certificate-extension.ts';
import type { CertificateFacts } from './certificate-facts.ts';
import { comparableName } from './distinguished-name.ts';

const WHAT = 'a name constraint';
/** The length of a certificate times that of the constraints, in bytes. Each name is compared with each constraint, which must not take long. */
const MOST = 2 ** 26;
const PERMITTED = 0xa0;
const EXCLUDED = 0xa1;
const EMAIL = 0x81;
const DNS = 0x82;
const URI = 0x86;
const IP = 0x87;
const DIRECTORY = 0xa4;

type Matches = (name: Buffer, constraint: Buffer) => boolean;

/** By the tag of the general name. Names of other forms cannot be compared, so a constraint on such a form lets none of it pass. */
const MATCHES: Readonly<Record<number, Matches>> = {
  [EMAIL]: (name, constraint) => isMailbox(latin(name), latin(constraint)),
  [DNS]: (name, constraint) => isWithinDomain(latin(name).toLowerCase(), latin(constraint).toLowerCase()),
  [URI]: (name, constraint) => isHost(hostOf(latin(name)), latin(constraint).toLowerCase()),
  [IP]: isWithinNetwork,
  [DIRECTORY]: (name, constraint) => isWithinDirectory(comparableName(name), comparableName(constraint)),
};

const latin = (bytes: Buffer): string => bytes.toString('latin1');

/** @throws CryptoError invalid if a name of the certificate is not permitted, or the constraints are malformed */
export function requireWithinConstraints(certificate: CertificateFacts, constraints: Buffer): void {
  if (certificate.length * constraints.length > MOST) throw new CryptoError('invalid', `${WHAT} is too long for the names of a certificate`);
  const trees = readInside(readElement(constraints, WHAT), DER.sequence, WHAT);
  const basesOf = (tag: number): Element[] => trees.filter((tree) => tree.tag === tag).flatMap((tree) => readInside(tree, tag, WHAT).map(baseOf));
  const [permitted, excluded] = [basesOf(PERMITTED), basesOf(EXCLUDED)];
  for (const name of namesOf(certificate)) {
    const matches = MATCHES[name.tag];
    const isIn = (bases: readonly Element[]): boolean => matches !== undefined && bases.some(({ content }) => matches(name.content, content));
    const isWildFor = (bases: readonly Element[]): boolean => name.tag === DNS && bases.some(({ content }) => mayStandFor(latin(name.content), latin(content)));
    const [may, mayNot] = [permitted, excluded].map((bases) => bases.filter(({ tag }) => tag === name.tag)) as [Element[], Element[]];
    const isUnknown = matches === undefined && may.length + mayNot.length > 0;
    if (isUnknown || isIn(mayNot) || isWildFor(mayNot) || (may.length > 0 && !isIn(may)))
      throw new CryptoError('invalid', 'an authority must not certify a name of a certificate below it');
  }
}

/** The name of a subtree. Its minimum is always zero and its maximum always absent (section 4.2.1.10). */
function baseOf(subtree: Element): Element {
  const [base, ...more] = readInside(subtree, DER.sequence, WHAT);
  if (base === undefined || more.length > 0) throw new CryptoError('invalid', `${WHAT} must be a name only`);
  return base;
}

/** The subject, unless it is empty, and its other names. Mail addresses in the subject count only if no other name is one (section 4.2.1.10). */
function namesOf({ subject, extensions }: CertificateFacts): Element[] {
  const alternative = extensions.find(({ oid }) => oid === EXTENSION.subjectAltName);
  const names = alternative === undefined ? [] : readInside(readElement(alternative.value, WHAT), DER.sequence, WHAT);
  const mails = names.some(({ tag }) => tag === EMAIL) ? [] : (subject.attributes.Email ?? []);
  const directory = comparableName(subject.der).length === 0 ? [] : [{ tag: DIRECTORY, content: subject.der, whole: subject.der }];
  return [...directory, ...names, ...mails.map((mail) => ({ tag: EMAIL, content: Buffer.from(mail), whole: Buffer.from(mail) }))];
}

/** `example.org` holds itself and everything below it; with a dot before it, only what is below. */
const isWithinDomain = (name: string, domain: string): boolean =>
  domain === '' || name === domain || name.endsWith(domain.startsWith('.') ? domain : `.${domain}`);

/** `*.example.org` stands for every host one label below, so it names a host that `excluded` takes out, as `a.example.org`. */
function mayStandFor(name: string, excluded: string): boolean {
  if (!name.startsWith('*.')) return false;
  const [, parent = ''] = /^[^.]+\.(.+)$/.exec(excluded.toLowerCase()) ?? [];
  return parent === name.slice(2).toLowerCase();
}

/** `example.org` is that host; with a dot before it, every host below. */
const isHost = (host: string, constraint: string): boolean =>
  host !== '' && (constraint.startsWith('.') ? host.endsWith(constraint) && host !== constraint : host === constraint);

function isMailbox(name: string, constraint: string): boolean {
  const at = name.lastIndexOf('@');
  const host = name.slice(at + 1).toLowerCase();
  const wanted = constraint.lastIndexOf('@');
  // The part before the @ is compared by case (section 4.2.1.6).
  if (wanted >= 0) return name.slice(0, at) === constraint.slice(0, wanted) && host === constraint.slice(wanted + 1).toLowerCase();
  return at >= 0 && isHost(host, constraint.toLowerCase());
}

/** @throws CryptoError invalid for a URI without a host name, which no constraint can permit (section 4.2.1.10) */
function hostOf(uri: string): string {
  const host = URL.canParse(uri) ? new URL(uri).host.replace(/:\d*$/, '').toLowerCase() : '';
  if (host === '' || host.startsWith('[') || /^[\d.]+$/.test(host)) throw new CryptoError('invalid', 'a constrained URI must have the name of a host');
  return host;
}

/** A constraint is an address and a mask of the same length. An address of the other family is not within. */
function isWithinNetwork(name: Buffer, constraint: Buffer): boolean {
  if (constraint.length !== 8 && constraint.length !== 32) throw new CryptoError('invalid', `${WHAT} must be an address and a mask`);
  const half = constraint.length / 2;
  return name.length === half && name.every((byte, at) => ((byte ^ (constraint[at] as number)) & (constraint[half + at] as number)) === 0);
}

const isWithinDirectory = (name: readonly string[], above: readonly string[]): boolean => above.every((part, at) => name[at] === part);
