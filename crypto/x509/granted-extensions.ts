// Decides which of the extensions that a certificate request asks for its certificate gets, and who may issue: a client must not make itself an authority.
import { CryptoError } from '../crypto-error.ts';
import { contentOf, DER, hasNamedBit, namedBits, readElement, readInside, readOid } from '../der.ts';
import { EXTENSION, type Extension, KEY_USAGE } from './certificate-extension.ts';

/** The only extensions that a request can ask for. */
const GRANTED: readonly string[] = [EXTENSION.subjectAltName, EXTENSION.keyUsage, EXTENSION.extendedKeyUsage];
const WHAT = 'the keyUsage of the certificate request';
const SIGNS_CERTIFICATES = KEY_USAGE.indexOf('keyCertSign');

/**
 * @param decided the extensions that the certificate has already, which go before those of the request
 * @throws CryptoError invalid for one of them that is malformed: the issuer signs what it grants
 */
export function grantedExtensions(requested: readonly Extension[], decided: readonly Extension[]): Extension[] {
  const granted = requested.filter(({ oid }) => GRANTED.includes(oid));
  for (const each of granted) if (each.oid !== EXTENSION.keyUsage) requireList(each);
  return isAuthority(decided) ? granted : granted.flatMap((each) => (each.oid === EXTENSION.keyUsage ? usageOfNoAuthority(each) : [each]));
}

/** Both have at least one member (RFC 5280 sections 4.2.1.6 and 4.2.1.12); the names are read with the finished certificate. */
function requireList({ oid, value }: Extension): void {
  const what = `the ${oid === EXTENSION.subjectAltName ? 'subjectAltName' : 'extendedKeyUsage'} of the certificate request`;
  const members = readInside(readElement(value, what), DER.sequence, what);
  if (members.length === 0) throw new CryptoError('invalid', `${what} is empty`);
  if (oid === EXTENSION.extendedKeyUsage) for (const member of members) readOid(member, what);
}

export function isAuthority(extensions: readonly Extension[]): boolean {
  const constraints = extensions.find(({ oid }) => oid === EXTENSION.basicConstraints);
  if (!constraints) return false;
  const [ca] = readInside(readElement(constraints.value, 'basicConstraints'), DER.sequence, 'basicConstraints');
  return ca?.tag === DER.boolean && ca.content[0] !== 0;
}

/**
 * Why a certificate with these extensions must not issue others: it says so itself (RFC 5280 sections 4.2.1.3 and 4.2.1.9).
 * @returns undefined also for one that says nothing
 */
export function deniesIssuing(extensions: readonly Extension[]): string | undefined {
  if (extensions.some(({ oid }) => oid === EXTENSION.basicConstraints) && !isAuthority(extensions)) return 'its basicConstraints say that it is no authority';
  const usage = extensions.find(({ oid }) => oid === EXTENSION.keyUsage);
  if (!usage) return undefined;
  const bits = contentOf(readElement(usage.value, 'keyUsage'), DER.bits, 'keyUsage');
  return hasNamedBit(bits, SIGNS_CERTIFICATES) ? undefined : 'its keyUsage has no keyCertSign';
}

/** Only an authority has keyCertSign (RFC 5280 section 4.2.1.9), and a keyUsage has at least one bit (section 4.2.1.3). */
function usageOfNoAuthority({ oid, critical, value }: Extension): Extension[] {
  const bits = contentOf(readElement(value, WHAT), DER.bits, WHAT);
  const numbers = KEY_USAGE.keys().filter((bit) => bit !== SIGNS_CERTIFICATES && hasNamedBit(bits, bit));
  const left = [...numbers];
  return left.length === 0 ? [] : [{ oid, critical, value: namedBits(DER.bits, left) }];
}
