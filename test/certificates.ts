// Certificates for tests: authorities, servers, clients, and lists of revoked ones.
import { webcrypto } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto as never);
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
export const DAY_MS = 86_400_000;
export const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
export const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';

export interface Made {
  readonly certificate: x509.X509Certificate;
  readonly keys: webcrypto.CryptoKeyPair;
  /** PEM. */
  readonly cert: string;
  /** PEM, PKCS#8. */
  readonly key: string;
}

export interface MakeOptions {
  readonly issuer?: Made;
  readonly days?: number;
  readonly usage?: string;
  readonly names?: readonly string[];
  /** May issue others; without an issuer it may anyway. */
  readonly isAuthority?: boolean;
}

/** Without an issuer it is an authority of its own. */
export async function makeCertificate(name: string, { issuer, days = 30, usage, names, isAuthority = !issuer }: MakeOptions = {}): Promise<Made> {
  const keys = (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const validity = { notBefore: new Date(Date.now() - 60 * DAY_MS), notAfter: new Date(Date.now() + days * DAY_MS) };
  const extensions = [
    ...(isAuthority ? [new x509.BasicConstraintsExtension(true, 1, true)] : []),
    ...(usage ? [new x509.ExtendedKeyUsageExtension([usage])] : []),
    ...(names ? [new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'ip', value }) as never))] : []),
  ];
  const common = {
    ...validity,
    signingAlgorithm: ALGORITHM,
    extensions,
    serialNumber: Buffer.from(webcrypto.getRandomValues(new Uint8Array(8))).toString('hex'),
  };
  const certificate = issuer
    ? await x509.X509CertificateGenerator.create({
        ...common,
        subject: name,
        issuer: issuer.certificate.subject,
        publicKey: keys.publicKey as never,
        signingKey: issuer.keys.privateKey as never,
      })
    : await x509.X509CertificateGenerator.createSelfSigned({ ...common, name, keys: keys as never });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return { certificate, keys, cert: certificate.toString('pem'), key: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n` };
}

interface ExtraExtension {
  readonly type: string;
  readonly isCritical: boolean;
  readonly value: Uint8Array;
}

/** @param extensions of the list, besides its entries @param days until it ends @returns the PEM of the issuer's list */
export async function revocationList(issuer: Made, revoked: readonly Made[], extensions: readonly ExtraExtension[] = [], days = 30): Promise<string> {
  const list = await x509.X509CrlGenerator.create({
    issuer: issuer.certificate.subject,
    thisUpdate: new Date(Date.now() - DAY_MS),
    nextUpdate: new Date(Date.now() + days * DAY_MS),
    extensions: extensions.map(({ type, isCritical, value }) => new x509.Extension(type, isCritical, new Uint8Array(value))),
    entries: revoked.map(({ certificate }) => ({ serialNumber: certificate.serialNumber, revocationDate: new Date(Date.now() - DAY_MS) })),
    signingAlgorithm: ALGORITHM,
    signingKey: issuer.keys.privateKey as never,
  });
  // RFC 7468 section 8 wants this label, and OpenSSL reads no other.
  return list.toString('pem').replaceAll(' CRL-', ' X509 CRL-');
}
