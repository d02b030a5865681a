// Issues X.509 certificates, self-signed or in a chain, with every signature algorithm (RFC 5280 section 4, KMIP 2.1 section 6.1.6).
import { type KeyObject, randomBytes } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { context, sequence, unsigned } from '../der.ts';
import { fromBytes } from '../key/modular.ts';
import { isSameKey } from '../key/same-key.ts';
import type { CryptographicParameters } from '../parameters.ts';
import { EXTENSION, type Extension, writeExtension } from './certificate-extension.ts';
import { parseExtensions } from './certificate-extension-text.ts';
import { type CertificateFacts, certificateFacts, keyIdentifierOf } from './certificate-facts.ts';
import { writeTime } from './certificate-time.ts';
import { type DistinguishedName, writeName } from './distinguished-name.ts';
import { grantedExtensions } from './granted-extensions.ts';
import { namingExtensions } from './named-subject.ts';
import { signedDer, type Unsigned, unsignedDer } from './signed-der.ts';

/** Signs with the private key of the issuer, which may be outside this process. */
export type Signer = (parameters: CryptographicParameters, data: Uint8Array) => Promise<Uint8Array>;

export interface CertificateOptions {
  readonly subjectPublicKey: KeyObject;
  /** The parts of the name, or its DER from a request. */
  readonly subject: DistinguishedName | Uint8Array;
  /** The public key of the key that signs. */
  readonly issuerPublicKey: KeyObject;
  /** DER of the issuer's certificate; undefined for a self-signed certificate. */
  readonly issuerCertificate?: Uint8Array;
  /** Seconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Lines in OpenSSL's configuration format. They take precedence over the extensions of a request. */
  readonly extensions?: string;
  readonly requestedExtensions?: readonly Extension[];
  /** The extensions of the certificate to renew. All of them are copied except the key identifiers. */
  readonly renewedExtensions?: readonly Extension[];
  /** Positive, at most 20 bytes; by default 16 random bytes. */
  readonly serial?: Uint8Array;
}

const ALWAYS: readonly string[] = [EXTENSION.subjectKeyIdentifier, EXTENSION.authorityKeyIdentifier];

const VERSION_3 = context(0, unsigned(2n));

/**
 * Returns the DER of a certificate. It always contains the identifiers of the subject's and the issuer's key.
 * @throws CryptoError as `unsignedCertificate` and `sign`
 */
export async function certify(options: CertificateOptions, sign: Signer): Promise<Uint8Array> {
  const unsigned = unsignedCertificate(options);
  return signedDer(unsigned, await sign(unsigned.parameters, unsigned.data));
}

/**
 * Makes a certificate without its signature, which `signedDer` adds.
 * @throws CryptoError invalid if the issuer's key is not that of its certificate or, for a self-signed one, not the subject's key;
 *   also for invalid times, names and extensions
 */
export function unsignedCertificate(options: CertificateOptions): Unsigned {
  const { subjectPublicKey, issuerPublicKey, notBefore, notAfter } = options;
  if (notAfter < notBefore) throw new CryptoError('invalid', 'the certificate must not end before it begins');
  const issuer = options.issuerCertificate === undefined ? undefined : certificateFacts(options.issuerCertificate);
  if (!isSameKey(issuerPublicKey, issuer?.publicKey ?? subjectPublicKey))
    throw new CryptoError(
      'invalid',
      issuer === undefined ? 'the private key is not that of the public key' : 'the private key is not that of the issuing certificate',
    );
  const subject = options.subject instanceof Uint8Array ? options.subject : writeName(options.subject);
  const extensions = namingExtensions(subject, extensionsOf(options, issuer)).map(writeExtension);
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

/** The bits 01, then 126 random bits: never zero, never negative, always the same length. */
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
  const renewed = renewedExtensions.filter(({ oid }) => !ALWAYS.includes(oid));
  const requested = grantedExtensions(requestedExtensions, [...all, ...renewed]);
  for (const extension of [...requested, ...renewed, ...always]) if (!all.some(({ oid }) => oid === extension.oid)) all.push(extension);
  return all;
}
