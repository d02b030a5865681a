// Reads the TLS files, and gives the ports the options that are made of them.
import { constants, randomFillSync } from 'node:crypto';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import { createSecureContext, type Server, type TLSSocket, type TlsOptions } from 'node:tls';
import { ConfigError } from '../../config/config-error.ts';
import type { KernelConfig } from '../../config/sections.ts';
import { blocksIn, isPair, readPem } from '../../pem.ts';
import { keyOf } from '../connection/connection-key.ts';
import { checkedWith, distrust, isDistrusted } from './client-certificate.ts';
import { termsOf } from './revocation-lists.ts';
import { ensureSelfSigned } from './self-signed.ts';

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string | undefined;
  readonly clientCrl: string | undefined;
}

/** Without the certificate that the server makes for itself if none is configured. */
type ConfiguredFiles = Readonly<Record<keyof TlsFiles, string | undefined>>;

interface Pair {
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
}

/** A server that uses the TLS files. */
export interface TlsService {
  readonly server: Server;
  /** Closes idle connections, at least those whose certificate is no longer trusted. */
  closeIdle(): void;
}

/** Between looks at connections that are to end and still answer. */
const LOOK_MS = 2_000;
const TICKET_KEY_BYTES = 48;
const HANDSHAKE_MS = 10_000;

/** @param base folder of relative paths @throws ConfigError for an incomplete combination of files */
export async function tlsFiles({ host, tls }: KernelConfig['http'], base: string, dataDir: string, now: number): Promise<TlsFiles> {
  const { cert, key, ...ofClients } = configuredFiles(tls, base);
  return { ...(cert !== undefined && key !== undefined ? { cert, key } : await ensureSelfSigned(dataDir, host, now)), ...ofClients };
}

/** What is wrong with the configured files. @throws ConfigError as `tlsFiles` and `readTls` do */
export function checkTls({ tls }: KernelConfig['http'], base: string): void {
  readTls(configuredFiles(tls, base));
}

function configuredFiles(tls: KernelConfig['http']['tls'], base: string): ConfiguredFiles {
  if ((tls.cert === '') !== (tls.key === ''))
    throw new ConfigError(['http.tls: one of cert and key is missing; set both, or none for a self-signed certificate']);
  if (tls.client_crl !== '' && tls.client_ca === '')
    throw new ConfigError(['http.tls.client_crl: has no effect without client_ca; set http.tls.client_ca too']);
  const optional = (path: string) => (path === '' ? undefined : resolve(base, path));
  return { cert: optional(tls.cert), key: optional(tls.key), clientCa: optional(tls.client_ca), clientCrl: optional(tls.client_crl) };
}

/** @throws ConfigError naming each file that cannot be read or used */
export function readTls(files: ConfiguredFiles): TlsOptions {
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
    // By renegotiation, which TLS 1.2 has, a client could show another certificate than that which its connection began with.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    handshakeTimeout: HANDSHAKE_MS,
    // All fronts can resume a session that one of them began, until the files change.
    ticketKeys: randomFillSync(new Uint8Array(TICKET_KEY_BYTES)) as Buffer,
    // The handshake accepts clients without a trusted certificate. The HTTP front checks the certificate at every use.
    ...(ca ? { ca, requestCert: true, rejectUnauthorized: false } : {}),
    // Node reads only the first list of each file. With intermediate authorities OpenSSL needs one of each in the chain.
    ...(crl ? { crl: blocksIn(crl.toString('latin1'), 'revocationList') } : {}),
  };
}

/** @throws ConfigError if the key does not belong to the certificate, or OpenSSL refuses the pair, for example a key that is too short */
function requireFitting(files: ConfiguredFiles, pair: Pair): void {
  try {
    createSecureContext(pair);
    requireOnePair(pair);
  } catch (error) {
    throw new ConfigError([`http.tls: the certificate ${files.cert} and the key ${files.key} cannot be used together (${(error as Error).message})`]);
  }
}

/** With a key of another type than that of the certificate no client could connect. */
function requireOnePair({ cert, key }: Pair): void {
  // The first certificate is that of the server, and those behind it are its chain.
  if (cert === undefined || key === undefined) return;
  const [certificate = ''] = blocksIn(cert.toString('latin1'), 'certificate');
  const [privateKey = ''] = blocksIn(key.toString('latin1'), 'privateKey');
  if (!isPair(certificate, privateKey)) throw new Error('the key is not that of the first certificate');
}

/** @returns the certificates of a PEM file in their order, without other contents such as a key */
export const certificatesIn = (pem: string): readonly string[] => blocksIn(pem, 'certificate');

/**
 * @param first the options that they have now
 * @returns a function that gives the ports new options. Client certificates that were checked with the old files lose their effect: they may be
 * on the new revocation list, or their authority may be gone.
 */
export function tlsApplier(services: readonly TlsService[], first: TlsOptions): (tls: TlsOptions) => void {
  let lists = listsOf(first);
  // Before whoever reads certificates.
  for (const { server } of services) server.prependListener('secureConnection', (socket) => checkedWith(socket, lists));
  const endOld = services.map(watchClients);
  return (tls) => {
    // If the files do not fit together, the first call throws and nothing has changed.
    for (const { server } of services) server.setSecureContext(tls);
    lists = listsOf(tls);
    for (const end of endOld) end();
  };
}

const listsOf = ({ crl }: TlsOptions) => termsOf([crl ?? []].flat().map(String));

/** @returns a function that ends all open connections with a client certificate: idle ones at once, the others after their answer. Call it when the server has its new options */
function watchClients({ server, closeIdle }: TlsService): () => void {
  const clients = new Set<TLSSocket>();
  const expireHandshakes = distrustLate(server);
  server.on('secureConnection', (socket) => {
    if (!socket.getPeerX509Certificate()) return;
    // No request of it has been read yet.
    if (isDistrusted(socket)) return void socket.destroy();
    clients.add(socket);
    socket.on('close', () => clients.delete(socket));
  });
  return () => {
    expireHandshakes();
    const old = [...clients];
    for (const socket of old) distrust(socket);
    const close = () => {
      closeIdle();
      if (old.some(({ destroyed }) => !destroyed)) setTimeout(close, LOOK_MS).unref();
    };
    close();
  };
}

/**
 * A connection keeps the options that the server had when it was taken, so a handshake that ends later is checked with the old files.
 * @returns a function after which the handshakes that have begun prove nothing
 */
function distrustLate(server: Server): () => void {
  let changes = 0;
  const begun = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket);
    begun.set(key, changes);
    socket.once('close', () => begun.delete(key));
  });
  // Before what a PROXY header says becomes the address of the connection.
  server.prependListener('secureConnection', (socket) => {
    const key = keyOf(socket);
    if ((begun.get(key) ?? 0) !== changes) distrust(socket);
    begun.delete(key);
  });
  return () => void changes++;
}
