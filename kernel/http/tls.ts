// TLS of the servers: which files, which versions, client certificates, and reading them again when they change.
import { unwatchFile, watchFile } from 'node:fs';
import { resolve } from 'node:path';
import { createSecureContext, type Server, type TLSSocket, type TlsOptions } from 'node:tls';
import { ConfigError } from '../config/load.ts';
import type { KernelConfig } from '../config/sections.ts';
import { describe } from '../fault.ts';
import type { Log } from '../log-entry.ts';
import { readPem } from '../pem.ts';
import { distrust } from './client-certificate.ts';
import { ensureSelfSigned } from './self-signed.ts';

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string | undefined;
  readonly clientCrl: string | undefined;
}

/** A server that the files are put into service of. */
export interface TlsService {
  readonly server: Server;
  /** Closes the connections that wait for a next request, at least those whose certificate is distrusted. */
  closeIdle(): void;
}

const WATCH_MS = 2_000;
const HANDSHAKE_MS = 10_000;

/** @param base folder that relative paths start from */
export async function tlsFiles({ host, tls }: KernelConfig['http'], base: string, dataDir: string, now: number): Promise<TlsFiles> {
  if ((tls.cert === '') !== (tls.key === '')) throw new ConfigError(['http.tls: cert and key go together, one of them is missing']);
  if (tls.client_crl !== '' && tls.client_ca === '') throw new ConfigError(['http.tls.client_crl: means nothing without client_ca']);
  const own = tls.cert === '' ? await ensureSelfSigned(dataDir, host, now) : { cert: resolve(base, tls.cert), key: resolve(base, tls.key) };
  const optional = (path: string) => (path === '' ? undefined : resolve(base, path));
  return { ...own, clientCa: optional(tls.client_ca), clientCrl: optional(tls.client_crl) };
}

/** @throws ConfigError naming each file that cannot be read or used */
export function readTls(files: TlsFiles): TlsOptions {
  const problems: string[] = [];
  const read = (name: string, path: string | undefined, kind: Parameters<typeof readPem>[1]) =>
    path === undefined ? undefined : readPem(path, kind, (text) => problems.push(`http.tls.${name}: ${text}`));
  const cert = read('cert', files.cert, 'certificate');
  const key = read('key', files.key, 'privateKey');
  const ca = read('client_ca', files.clientCa, 'certificate');
  const crl = read('client_crl', files.clientCrl, 'revocationList');
  if (problems.length > 0) throw new ConfigError(problems);
  requireFitting(files, { cert, key });
  return {
    cert,
    key,
    minVersion: 'TLSv1.2',
    handshakeTimeout: HANDSHAKE_MS,
    // A client without a certificate, or with one that is not trusted, is served as one that shows none: the front checks at every use.
    ...(ca ? { ca, requestCert: true, rejectUnauthorized: false } : {}),
    ...(crl ? { crl } : {}),
  };
}

/** @throws ConfigError for a key that is another certificate's, or a pair that OpenSSL does not serve, such as one that is too short */
function requireFitting(files: TlsFiles, pair: Pick<TlsOptions, 'cert' | 'key'>): void {
  try {
    createSecureContext(pair);
  } catch (error) {
    throw new ConfigError([`http.tls: the certificate ${files.cert} and the key ${files.key} cannot be used together (${(error as Error).message})`]);
  }
}

/** @returns each certificate of a PEM file, in its order, and nothing else that the file may hold, such as a key */
export function certificatesIn(pem: string): readonly string[] {
  return [...pem.matchAll(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)].map(([block]) => `${block}\n`);
}

/**
 * Puts changed files into service without a restart; files that do not fit together leave the old ones in place. Client certificates that
 * were shown under the old files count no longer: they may be on the new revocation list, or their authority may be gone.
 * @param onChange gets what is in service from now on
 */
export function watchTls(services: readonly TlsService[], files: TlsFiles, log: Log, onChange: (tls: TlsOptions) => void): () => void {
  const paths = Object.values(files).filter((path) => path !== undefined);
  const endOld = services.map(watchClients);
  const reload = () => {
    try {
      const tls = readTls(files);
      // Files that do not fit together are refused by the first, before anything has changed.
      for (const { server } of services) server.setSecureContext(tls);
      onChange(tls);
      for (const end of endOld) end();
      log.info({}, 'TLS files read again');
    } catch (error) {
      log.error({ error: describe(error) }, 'changed TLS files cannot be used, the old ones stay in service');
    }
  };
  for (const path of paths) watchFile(path, { interval: WATCH_MS, persistent: false }, reload);
  return () => {
    for (const path of paths) unwatchFile(path, reload);
  };
}

/** @returns what ends the connections with a client certificate that are open now: idle ones at once, the others after their answer */
function watchClients({ server, closeIdle }: TlsService): () => void {
  const clients = new Set<TLSSocket>();
  server.on('secureConnection', (socket) => {
    if (!socket.getPeerX509Certificate()) return;
    clients.add(socket);
    socket.on('close', () => clients.delete(socket));
  });
  return () => {
    const old = [...clients];
    for (const socket of old) distrust(socket);
    const close = () => {
      closeIdle();
      if (old.some(({ destroyed }) => !destroyed)) setTimeout(close, WATCH_MS).unref();
    };
    close();
  };
}
