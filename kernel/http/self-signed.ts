// Makes a self-signed certificate for a server that has none: ECDSA P-256, valid for a year, for the names of this machine.
import { webcrypto, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createPrivateFolder, writePrivateFile } from '../private-file.ts';

interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;
const VALID_DAYS = 365;
const RENEW_DAYS = 30;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/**
 * @param host on which the server listens
 * @returns paths of certificate and key in the data folder. Both are made if missing, and replaced 30 days before they expire, and if they are not valid yet or do not name the host.
 */
export async function ensureSelfSigned(dataDir: string, host: string, now: number): Promise<CertificateFiles> {
  const folder = join(dataDir, 'tls');
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  if (existsSync(files.cert) && existsSync(files.key)) {
    const certificate = certificateIn(readFileSync(files.cert));
    // Of a damaged one its reader says what is wrong.
    if (!certificate || (isValid(certificate, now) && isNamed(host, certificate))) return files;
  }
  createPrivateFolder(folder);
  const { cert, key } = await makeCertificate(namesOf(host), now);
  writePrivateFile(files.key, key);
  writePrivateFile(files.cert, cert);
  return files;
}

function certificateIn(pem: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

/** Not so before its first day, where the clock was ahead when it was made. */
function isValid({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validFrom) <= now && Date.parse(validTo) - now > RENEW_DAYS * DAY_MS;
}

const isUnspecified = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** The name of the machine does not count: that of a container is another after each start, and clients may trust exactly this file. */
function isNamed(host: string, certificate: X509Certificate): boolean {
  return isUnspecified(host) || (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;
}

function namesOf(host: string): string[] {
  return [...new Set(['localhost', '127.0.0.1', '::1', hostname(), ...(isUnspecified(host) ? [] : [host])])];
}

async function makeCertificate(names: readonly string[], now: number): Promise<{ cert: string; key: string }> {
  // Loaded on demand: they take longer to load than the rest of the start.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto as never);
  const keys = (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as CryptoKeyPair;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=gatehouse self-signed',
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + VALID_DAYS * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys: keys as never,
    extensions: [
      // It is its own authority, so that a client can trust exactly this file.
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyCertSign, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }))),
    ],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;
  pkcs8.fill(0);
  return { cert: `${certificate.toString('pem')}\n`, key };
}

type CryptoKeyPair = webcrypto.CryptoKeyPair;
