// Reads the contents of a certificate, from which KMIP's certificate attributes are made (specification 2.1 sections 4.6 to 4.8 and 4.61 to 4.63).
import { createHash, type KeyObject } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { contentOf, DER, type Element, readBits, readElement, readInside } from '../der.ts';
import { isDsaKey } from '../key/discrete-log-key.ts';
import { isPublicPoint } from '../key/public-point.ts';
import { readPublicKey } from '../key/read-public-key.ts';
import { isRsaPublicKey } from '../key/rsa-key.ts';
import type { DigitalSignatureAlgorithm } from '../parameters.ts';
import { EXTENSION, type Extension, readExtensions } from './certificate-extension.ts';
import { readTime } from './certificate-time.ts';
import { type DistinguishedName, isSameName, readName } from './distinguished-name.ts';
import { type GeneralName, readGeneralNames } from './general-name.ts';
import { readSigned, type SignedDer, signatureAlgorithm } from './signed-der.ts';

export interface CertifiedName {
  /** DER of the distinguished name. */
  readonly der: Buffer;
  readonly attributes: DistinguishedName;
  readonly alternativeNames: readonly GeneralName[];
}

export interface CertificateFacts {
  readonly subject: CertifiedName;
  readonly issuer: CertifiedName;
  /** The content of the integer, big-endian. */
  readonly serialNumber: Buffer;
  /** DER of the integer. */
  readonly serialNumberDer: Buffer;
  /** Seconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly publicKey: KeyObject;
  /** Undefined if KMIP has no name for it, as for Ed25519 and ML-DSA. */
  readonly signatureAlgorithm: DigitalSignatureAlgorithm | undefined;
  /** The length of the certificate in bytes. */
  readonly length: number;
  readonly extensions: readonly Extension[];
  readonly signed: SignedDer;
}

const WHAT = 'the certificate';

/** @throws CryptoError invalid if `der` is not an X.509 certificate */
export function certificateFacts(der: Uint8Array): CertificateFacts {
  const signed = readSigned(der, WHAT);
  const isVersioned = signed.fields[0]?.tag === 0xa0;
  const [serial, algorithm, issuer, validity, subject, spki, ...rest] = isVersioned ? signed.fields.slice(1) : signed.fields;
  if (subject === undefined || issuer === undefined || spki === undefined || algorithm === undefined)
    throw new CryptoError('invalid', `${WHAT} must be an X.509 certificate`);
  // RFC 5280 section 4.1.1.2.
  if (!algorithm.whole.equals(signed.algorithm.whole)) throw new CryptoError('invalid', `${WHAT} names two signature algorithms that differ`);
  const [notBefore, notAfter] = readInside(validity, DER.sequence, WHAT);
  const wrapped = rest.find(({ tag }) => tag === 0xa3);
  const extensions = wrapped === undefined ? [] : readExtensions(wrapped.content);
  return {
    subject: readNames(subject, extensions, EXTENSION.subjectAltName),
    issuer: readNames(issuer, extensions, EXTENSION.issuerAltName),
    serialNumber: contentOf(serial, DER.integer, WHAT),
    serialNumberDer: (serial as Element).whole,
    notBefore: readTime(notBefore, WHAT),
    notAfter: readTime(notAfter, WHAT),
    publicKey: publicKeyOf(spki.whole),
    signatureAlgorithm: signatureAlgorithm(signed.algorithm, WHAT),
    length: der.length,
    extensions,
    signed,
  };
}

/** Not the same as signed by its own key: an authority that renews its key issues a certificate to itself. */
export const isSelfIssued = ({ subject, issuer }: CertificateFacts): boolean => isSameName(subject.der, issuer.der);

function readNames(name: Element, extensions: readonly Extension[], alternative: string): CertifiedName {
  const names = extensions.find(({ oid }) => oid === alternative);
  return { der: name.whole, attributes: readName(name.whole), alternativeNames: names === undefined ? [] : readGeneralNames(names.value) };
}

/** @throws CryptoError invalid for a key that OpenSSL does not know, and for numbers that are no RSA or DSA key or no sound point of a curve */
export function publicKeyOf(spki: Buffer): KeyObject {
  const key = keyIn(spki);
  if (key === undefined) throw new CryptoError('invalid', 'the public key is malformed or of an unknown algorithm');
  if (key.asymmetricKeyType === 'rsa' && !isRsaPublicKey(key)) throw new CryptoError('invalid', 'the modulus and public exponent are not those of an RSA key');
  if (key.asymmetricKeyType === 'dsa' && !isDsaKey(key)) throw new CryptoError('invalid', 'the numbers of the public key are not those of a DSA key');
  if (!isPublicPoint(key)) throw new CryptoError('invalid', 'the point of the public key is none that a private key can have');
  return key;
}

function keyIn(spki: Buffer): KeyObject | undefined {
  try {
    return readPublicKey({ key: spki, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

/** SHA-1 of the key's bit string, by the first method of RFC 5280 section 4.2.1.2. */
export function keyIdentifierOf(key: KeyObject): Buffer {
  const spki = readElement(key.export({ format: 'der', type: 'spki' }), WHAT);
  return createHash('sha1')
    .update(readBits(readInside(spki, DER.sequence, WHAT)[1], WHAT))
    .digest();
}
