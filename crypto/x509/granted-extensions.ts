// Decides which of the extensions that a certificate request asks for its certificate gets: a client must not make itself an authority.
import { contentOf, DER, namedBits, readElement, readInside } from '../der.ts';
import { EXTENSION, type Extension, KEY_USAGE } from './certificate-extension.ts';

/** The only extensions that a request can ask for. */
const GRANTED: readonly string[] = [EXTENSION.subjectAltName, EXTENSION.keyUsage, EXTENSION.extendedKeyUsage];
const WHAT = 'the keyUsage of the certificate request';
const SIGNS_CERTIFICATES = KEY_USAGE.indexOf('keyCertSign');

/**
 * @param decided the extensions that the certificate has already, which go before those of the request
 * @throws CryptoError invalid for a malformed keyUsage
 */
export function grantedExtensions(requested: readonly Extension[], decided: readonly Extension[]): Extension[] {
  const granted = requested.filter(({ oid }) => GRANTED.includes(oid));
  return isAuthority(decided) ? granted : granted.flatMap((each) => (each.oid === EXTENSION.keyUsage ? usageOfNoAuthority(each) : [each]));
}

function isAuthority(extensions: readonly Extension[]): boolean {
  const constraints = extensions.find(({ oid }) => oid === EXTENSION.basicConstraints);
  if (!constraints) return false;
  const [ca] = readInside(readElement(constraints.value, 'basicConstraints'), DER.sequence, 'basicConstraints');
  return ca?.tag === DER.boolean && ca.content[0] !== 0;
}

/** Only an authority has keyCertSign (RFC 5280 section 4.2.1.9), and a keyUsage has at least one bit (section 4.2.1.3). */
function usageOfNoAuthority({ oid, critical, value }: Extension): Extension[] {
  const bits = contentOf(readElement(value, WHAT), DER.bits, WHAT).subarray(1);
  const numbers = KEY_USAGE.keys().filter((bit) => bit !== SIGNS_CERTIFICATES && ((bits[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0);
  const left = [...numbers];
  return left.length === 0 ? [] : [{ oid, critical, value: namedBits(DER.bits, left) }];
}
