// When the certificates and revocation lists in use end: for /ready and the metrics, before clients notice.
import { X509Certificate } from 'node:crypto';
import type { TlsOptions } from 'node:tls';
import type { Registry } from 'prom-client';
import { gauge } from '../../metrics/read-anew.ts';
import { blocksIn } from '../../pem.ts';
import { termsOf } from './revocation-lists.ts';

/** By the keys of `[http.tls]`. */
export interface TlsEnd {
  readonly file: 'cert' | 'client_ca' | 'client_crl';
  /** Milliseconds since the epoch: the first end of what is in the file. Infinity for lists that tell none. */
  readonly to: number;
}

const DAY_MS = 86_400_000;
/** Who renews certificates by a program does so weeks before. A revocation list is often renewed in its last hours only. */
const SOON_MS = 7 * DAY_MS;

export function endsOf({ cert, ca, crl }: TlsOptions): readonly TlsEnd[] {
  const ends: TlsEnd[] = [];
  if (cert !== undefined) ends.push({ file: 'cert', to: certificatesEnd(String(cert)) });
  if (ca !== undefined) ends.push({ file: 'client_ca', to: certificatesEnd(String(ca)) });
  if (Array.isArray(crl)) ends.push({ file: 'client_crl', to: listsEnd(crl.map(String)) });
  return ends;
}

function certificatesEnd(pem: string): number {
  return Math.min(...blocksIn(pem, 'certificate').map((block) => new X509Certificate(block).validToDate.getTime()));
}

/** Of several lists of one issuer the last one counts. */
function listsEnd(blocks: readonly string[]): number {
  const byIssuer = new Map<string, number>();
  for (const { issuer, to } of termsOf(blocks)) {
    const name = issuer.toString('hex');
    byIssuer.set(name, Math.max(to, byIssuer.get(name) ?? 0));
  }
  return Math.min(...byIssuer.values());
}

/** @returns what has ended or, of certificates, ends within a week */
export function endingOf(ends: readonly TlsEnd[], now: number): readonly string[] {
  return ends.flatMap(({ file, to }) => {
    const isList = file === 'client_crl';
    if (to > now + (isList ? 0 : SOON_MS)) return [];
    const what = isList ? 'a revocation list, without which clients are refused,' : 'a certificate';
    return [`http.tls.${file}: ${what} ${to <= now ? 'has ended' : 'ends'} on ${new Date(to).toISOString()}`];
  });
}

export function exposeTlsEnds(registry: Registry, ends: () => readonly TlsEnd[]): void {
  const help = 'When the first certificate or revocation list of each TLS file in use ends, in seconds since 1970';
  gauge(registry, 'gatehouse_tls_end_timestamp_seconds', help, ['file'], (end) => {
    for (const { file, to } of ends()) end.set({ file }, to / 1_000);
  });
}
