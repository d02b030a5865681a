// Makes sure that a new certificate names its subject, and says where (RFC 5280 sections 4.1.2.6 and 4.2.1.6).
import { CryptoError } from '../crypto-error.ts';
import { DER, readElement, readInside } from '../der.ts';
import { EXTENSION, type Extension } from './certificate-extension.ts';
import { isAuthority } from './granted-extensions.ts';

const WHAT = 'the subject of the certificate';

/**
 * @param subject DER of a distinguished name
 * @returns the extensions, with a critical subjectAltName if it has the only names of the subject
 * @throws CryptoError invalid for a subject without any name, and for an authority without a distinguished name
 */
export function namingExtensions(subject: Uint8Array, extensions: readonly Extension[]): readonly Extension[] {
  if (readInside(readElement(subject, WHAT), DER.sequence, WHAT).length > 0) return extensions;
  if (isAuthority(extensions)) throw new CryptoError('invalid', `${WHAT} is empty, but an authority needs one`);
  if (!extensions.some(({ oid }) => oid === EXTENSION.subjectAltName)) throw new CryptoError('invalid', `${WHAT} is empty, and it has no subjectAltName`);
  return extensions.map((each) => (each.oid === EXTENSION.subjectAltName ? { ...each, critical: true } : each));
}
