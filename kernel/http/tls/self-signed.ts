// Makes a self-signed certificate for a server that has none: ECDSA P-256, valid for a year, for the names of this machine.
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createFolderWithin, writePrivateFile } from '../../disk/private-file.ts';
import { refuseWrongKinds, wrongTlsKinds } from '../../file-kind.ts';

interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;
const VALID_DAYS = 365;
const RENEW_DAYS = 30;
/** Clients trust exactly this file. It is no authority: webpki, which rustls uses, takes none for a server, and whoever stole the key could certify others. */
const EXTENSIONS = ['basicConstraints=critical,CA:FALSE', 'keyUsage=critical,digitalSignature', 'extendedKeyUsage=serverAuth'];

/**
 * @param host on which the server listens
 * @returns paths of certificate and key in the data folder. Both are made if missing, and replaced 30 days before they expire, and if they are not valid yet or do not name the host.
 * @throws ConfigError if something else is where they belong
 */
export async function ensureSelfSigned(dataDir: string, host: string, now: number): Promise<CertificateFiles> {
  refuseWrongKinds(wrongTlsKinds(dataDir));
  const folder = join(dataDir, 'tls');
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  if (existsSync(files.cert) && existsSync(files.key)) {
    const certificate = certificateIn(readFileSync(files.cert));
    // Of a damaged one its reader says what is wrong.
    if (!certificate || (isValid(certificate, now) && isNamed(host, certificate))) return files;
  }
  createFolderWithin(folder);
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
  const name = withoutZone(host);
  return isUnspecified(host) || (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined;
}

/** A certificate has no place for the interface of an address, as in `fe80::1%eth0`. */
const withoutZone = (host: string): string => host.replace(/%.*/, '');

/** The machine may have a name that no certificate can have. */
function namesOf(host: string): string[] {
  const given = [hostname(), ...(isUnspecified(host) ? [] : [withoutZone(host)])];
  return [...new Set(['localhost', '127.0.0.1', '::1', ...given.filter((name) => isIP(name) || /^[\w.-]+$/.test(name))])];
}

async function makeCertificate(names: readonly string[], now: number): Promise<{ cert: string; key: string }> {
  // Loaded on demand: a start seldom makes a certificate.
  const [{ certify }, { sign }] = await Promise.all([import('../../../crypto/x509/certificate.ts'), import('../../../crypto/signature/sign.ts')]);
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const options = {
    subject: { CN: ['gatehouse self-signed'] },
    subjectPublicKey: publicKey,
    issuerPublicKey: publicKey,
    notBefore: Math.floor((now - DAY_MS) / 1_000),
    notAfter: Math.floor((now + VALID_DAYS * DAY_MS) / 1_000),
    extensions: [...EXTENSIONS, `subjectAltName=${names.map((name) => `${isIP(name) ? 'IP' : 'DNS'}:${name}`).join(',')}`].join('\n'),
  };
  const der = await certify(options, async (parameters, data) => sign(privateKey, parameters, { data }));
  return { cert: new X509Certificate(der).toString(), key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })) };
}
