// Issues X.509 certificates, self-signed or in a chain, with issuer keys of every signature algorithm (RFC 5280 section 4, KMIP 2.1 section 6.1.6).
import { type KeyObject, randomBytes } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { context, sequence, unsigned } from '../der.ts';
import { fromBytes } from '../key/modular.ts';
import type { CryptographicParameters } from '../parameters.ts';
import { EXTENSION, type Extension, writeExtension } from './certificate-extension.ts';
import { parseExtensions } from './certificate-extension-text.ts';
import { type CertificateFacts, certificateFacts, keyIdentifierOf } from './certificate-facts.ts';
import { writeTime } from './certificate-time.ts';
import { type DistinguishedName, writeName } from './distinguished-name.ts';
import { signedDer, type Unsigned, unsignedDer } from './signed-der.ts';

/** Signs with the private key of the issuer, wherever that is. */
export type Signer = (parameters: CryptographicParameters, data: Uint8Array) => Promise<Uint8Array>;

export interface CertificateOptions {
  readonly subjectPublicKey: KeyObject;
  /** Names, or their DER as a request has it. */
  readonly subject: DistinguishedName | Uint8Array;
  /** Of the key that signs. */
  readonly issuerPublicKey: KeyObject;
  /** DER of the issuer's certificate; without it the certificate is self-signed. */
  readonly issuerCertificate?: Uint8Array;
  /** Seconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Lines of OpenSSL's configuration; they go before those of a request. */
  readonly extensions?: string;
  readonly requestedExtensions?: readonly Extension[];
  /** Of the certificate that this one renews: all of them are taken over, but for the identifiers of keys. */
  readonly renewedExtensions?: readonly Extension[];
  /** Positive, at most 20 bytes; 16 random bytes where it is left out. */
  readonly serial?: Uint8Array;
}

/** Of what a request asks for, these are given; to be an authority is not a client's to ask. */
const GRANTED: readonly string[] = [EXTENSION.subjectAltName, EXTENSION.keyUsage, EXTENSION.extendedKeyUsage];

const ALWAYS: readonly string[] = [EXTENSION.subjectKeyIdentifier, EXTENSION.authorityKeyIdentifier];

const VERSION_3 = context(0, unsigned(2n));

/**
 * DER of a certificate. Identifiers of the subject's and the issuer's key are in it always.
 * @throws CryptoError as `unsignedCertificate` and `sign` do
 */
export async function certify(options: CertificateOptions, sign: Signer): Promise<Uint8Array> {
  const unsigned = unsignedCertificate(options);
  return signedDer(unsigned, await sign(unsigned.parameters, unsigned.data));
}

/**
 * The same before it is signed: `signedDer` puts the two together.
 * @throws CryptoError invalid where the issuer's key is not that of its certificate, or (self-signed) not the subject's, for times,
 *   names and extensions that cannot be
 */
export function unsignedCertificate(options: CertificateOptions): Unsigned {
  const { subjectPublicKey, issuerPublicKey, notBefore, notAfter } = options;
  if (notAfter < notBefore) throw new CryptoError('invalid', 'the certificate must not end before it begins');
  const issuer = options.issuerCertificate === undefined ? undefined : certificateFacts(options.issuerCertificate);
  if (!issuerPublicKey.equals(issuer?.publicKey ?? subjectPublicKey))
    throw new CryptoError(
      'invalid',
      issuer === undefined ? 'the private key is not that of the public key' : 'the private key is not that of the issuing certificate',
    );
  const subject = options.subject instanceof Uint8Array ? options.subject : writeName(options.subject);
  const extensions = extensionsOf(options, issuer).map(writeExtension);
  const validity = sequence(writeTime(notBefore), writeTime(notAfter));
  const spki = subjectPublicKey.export({ format: 'der', type: 'spki' });
  return unsignedDer(issuerPublicKey, (identifier) =>
    sequence(VERSION_3, serialOf(options.serial), identifier, issuer?.subject.der ?? subject, validity, subject, spki, context(3, sequence(...extensions))),
  );
}

function serialOf(serial: Uint8Array = randomSerial()): Buffer {
  const number = fromBytes(serial);
  if (number === 0n || serial.length > 20 || number >> 159n !== 0n)
    throw new CryptoError('invalid', 'the serial number must be positive and have at most 20 bytes');
  return unsigned(number);
}

/** 126 random bits behind a one: never zero, never negative, always of the same length. */
export function randomSerial(): Buffer {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] as number) & 0x3f) | 0x40;
  return serial;
}

function extensionsOf(
  { subjectPublicKey, issuerPublicKey, extensions = '', requestedExtensions = [], renewedExtensions = [] }: CertificateOptions,
  issuer: CertificateFacts | undefined,
): Extension[] {
  const ofIssuer = issuer?.extensions.find(({ oid }) => oid === EXTENSION.subjectKeyIdentifier);
  const keys = {
    subject: keyIdentifierOf(subjectPublicKey),
    issuer: ofIssuer === undefined ? keyIdentifierOf(issuerPublicKey) : ofIssuer.value.subarray(2),
    ...(issuer === undefined ? {} : { issuerCertificate: { issuer: issuer.issuer.der, serial: issuer.serialNumber } }),
  };
  const all = parseExtensions(extensions, keys);
  const always = parseExtensions('subjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid', keys);
  const requested = requestedExtensions.filter(({ oid }) => GRANTED.includes(oid));
  const renewed = renewedExtensions.filter(({ oid }) => !ALWAYS.includes(oid));
  for (const extension of [...requested, ...renewed, ...always]) if (!all.some(({ oid }) => oid === extension.oid)) all.push(extension);
  return all;
}
