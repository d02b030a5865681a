// Checks the certificates of the server: whether they can be read, belong to their key, and how long they are valid.
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { blocksIn, isPair, readPem } from '../../kernel/pem.ts';
import { type Check, type Finding, ok, problem, warning } from './finding.ts';

const DAY_MS = 86_400_000;
const SOON_DAYS = 30;
const RENEW = 'write a new certificate and its key in place; the server reads them without a restart';

export const checkCertificates: Check = ({ config, base, dataDir, now }) => {
  const { cert, key, client_ca } = config.http.tls;
  const own = cert === '';
  const path = own ? join(dataDir, 'tls', 'cert.pem') : resolve(base, cert);
  const keyPath = own ? join(dataDir, 'tls', 'key.pem') : resolve(base, key);
  if (own && !existsSync(path)) return [ok('certificate', 'the first start makes a self-signed certificate')];
  const renewal = own ? `remove ${path} and ${keyPath}, and start the server again` : RENEW;
  const found = of('certificate', path, now, renewal);
  const fitting = found.some(({ state }) => state === 'problem') ? [] : pair(path, keyPath);
  const authorities = client_ca === '' ? [] : of('authority of clients', resolve(base, client_ca), now, 'get the new authority and write it in place');
  return [...found, ...fitting, ...authorities];
};

function of(about: string, path: string, now: number, renewal: string): Finding[] {
  const problems: Finding[] = [];
  const pem = readPem(path, 'certificate', (text) =>
    problems.push(problem(about, text, 'write a certificate in PEM there, which the user of the server can read')),
  );
  if (!pem) return problems;
  return blocksIn(pem.toString('latin1'), 'certificate').map((block) => validity(about, path, new X509Certificate(block), now, renewal));
}

/** A certificate may have names in its extension alone (RFC 5280 section 4.1.2.6): Node then gives no subject. */
export function nameOf({ subject, subjectAltName }: { readonly subject?: string | undefined; readonly subjectAltName?: string | undefined }): string {
  return (subject || (subjectAltName ?? 'a certificate without a name')).replaceAll('\n', ', ');
}

function validity(about: string, path: string, certificate: X509Certificate, now: number, renewal: string): Finding {
  const { validFromDate, validToDate } = certificate;
  const name = `${nameOf(certificate)} in ${path}`;
  const days = Math.floor((validToDate.getTime() - now) / DAY_MS);
  const end = validToDate.toISOString().slice(0, 10);
  if (validFromDate.getTime() > now)
    return problem(about, `${name} is not valid before ${validFromDate.toISOString()}`, 'set the clock of this machine, or wait');
  if (validToDate.getTime() <= now) return problem(about, `${name} has ended on ${end}`, renewal);
  if (days < SOON_DAYS) return warning(about, `${name} ends on ${end}, in ${days} days`, renewal);
  return ok(about, `${name} is valid until ${end}`);
}

function pair(cert: string, key: string): Finding[] {
  try {
    if (isPair(readFileSync(cert), readFileSync(key))) return [ok('TLS key', `${key} belongs to the certificate`)];
    return [problem('TLS key', `${key} does not belong to ${cert}`, 'write both files of one pair')];
  } catch (error) {
    return [
      problem('TLS key', `${key} cannot be used: ${(error as Error).message}`, 'write the key of the certificate there, in PEM and without a passphrase'),
    ];
  }
}
