// Opens a listener: requires TLS client certificates, limits its connections, and closes it gracefully.
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TLSSocket, type TlsOptions } from 'node:tls';
import type { AddressList } from '../address-list.ts';
import type { Clock } from '../clock.ts';
import { certificateHolder } from '../http/caller/holder.ts';
import { expectProxies } from '../http/connection/behind-proxies.ts';
import { type ConnectionLedgers, type Connections, watchConnections } from '../http/connection/connections.ts';
import { certificateRefused, isDistrusted, peerCertificate, refusalOf } from '../http/tls/client-certificate.ts';
import type { TlsService } from '../http/tls/tls.ts';
import type { FrontLimits } from '../limits/front-limits.ts';
import type { Log } from '../log/log-entry.ts';
import type { Tracer } from '../tracing/tracer.ts';
import { Conversation } from './conversation.ts';
import { listenFailure } from './listen-failure.ts';
import { type Listener, requireClients } from './listener.ts';

interface ListenOptions {
  readonly tls: TlsOptions;
  readonly clock: Clock;
  readonly log: Log;
  /** Time limit from the first byte of a message to its last. */
  readonly arrivalMs: number;
  readonly limits: FrontLimits;
  /** Absent if nothing is traced. */
  readonly tracer?: Tracer | undefined;
  /** Their connections begin with a PROXY header. */
  readonly proxies: AddressList | undefined;
  /** Other threads of the process listen on the same port. */
  readonly reusePort: boolean;
}

export interface PassedListener extends Listener {
  /** Number of an open socket to listen on, instead of host and port. */
  readonly fd?: number | undefined;
}

export interface OpenListener extends TlsService {
  readonly name: string;
  /** `tls://host:port` */
  readonly address: string;
  /** From now on every connection, also a later one, ends after its next answer. */
  drain(): void;
  /** Waits up to `ms` for running messages and those that arrive, then closes every connection. */
  close(ms: number): Promise<void>;
}

const CHECK_MS = 5_000;

/** @throws ConfigError if no client authority is configured, or the port cannot be opened */
export async function listen(listener: PassedListener, options: ListenOptions): Promise<OpenListener> {
  const { tls, clock, log, limits } = options;
  requireClients(listener, tls.requestCert === true);
  const server = createServer({ ...tls, rejectUnauthorized: true, allowHalfOpen: true });
  const connections = watchConnections(server, limits.connections.listeners.get(listener.name) as ConnectionLedgers);
  const talks = new Map<TLSSocket, Conversation>();
  let isDraining = false;
  server.on('secureConnection', (socket) => {
    const talk = begin(socket, listener, options, connections);
    if (!talk) return;
    if (isDraining) talk.finish('next');
    talks.set(socket, talk);
    socket.on('close', () => talks.delete(socket));
  });
  endFailedHandshakes(server, listener, log);
  const address = await bind(server, listener, options);
  const stopChecks = repeat(clock, () => {
    for (const talk of talks.values()) talk.expire();
  });
  return {
    name: listener.name,
    address,
    server,
    closeIdle() {
      for (const [socket, talk] of talks) if (isDistrusted(socket)) talk.finish('current');
    },
    drain() {
      isDraining = true;
      for (const talk of talks.values()) talk.finish('next');
    },
    async close(ms) {
      await closeAll(server, talks.values(), connections, ms);
      stopChecks();
    },
  };
}

function endFailedHandshakes(server: Server, { name }: Listener, log: Log): void {
  server.on('tlsClientError', (error, socket) => {
    // All that Node says of a certificate that was refused is that the connection was closed.
    const reason = socket.authorizationError ? certificateRefused(refusalOf(socket)) : error.message;
    log.debug({ listener: name, reason }, 'TLS handshake failed');
    // Node reports a handshake that takes too long, and leaves its connection open.
    socket.destroy();
  });
}

async function closeAll(server: Server, talks: Iterable<Conversation>, connections: Connections, ms: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const talk of talks) talk.finish('arriving');
  const late = setTimeout(() => connections.destroyAll(), ms);
  // Connections that have not finished the handshake have no running message.
  connections.destroySilent();
  await closed;
  clearTimeout(late);
}

/** @returns undefined for a client without a valid certificate, whose connection ends */
function begin(socket: TLSSocket, listener: Listener, options: ListenOptions, connections: Connections): Conversation | undefined {
  socket.on('error', () => socket.destroy());
  const { view, refusal = 'there is none' } = peerCertificate(socket, options.clock.now());
  if (!view) {
    options.log.debug({ listener: listener.name, source: socket.remoteAddress, reason: certificateRefused(refusal) }, 'connection closed');
    socket.destroy();
    return undefined;
  }
  const who = certificateHolder(view.commonName);
  connections.noteActivity(socket, who);
  options.limits.stalled.watch(socket, who);
  return new Conversation(socket, { ...options, listener, who });
}

async function bind(server: Server, { host, port, setting, fd }: PassedListener, { proxies, reusePort, log }: ListenOptions): Promise<string> {
  if (proxies) expectProxies(server, proxies, log);
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => reject(listenFailure(setting, `${host} port ${port}`, String(code))));
    server.listen(fd === undefined ? { host, port, reusePort } : { fd }, resolve);
  });
  const bound = server.address() as AddressInfo;
  const where = fd === undefined ? host : bound.address;
  return `tls://${where.includes(':') ? `[${where}]` : where}:${bound.port}`;
}

function repeat(clock: Clock, run: () => void): () => void {
  let timer = clock.setTimeout(tick, CHECK_MS);
  function tick(): void {
    run();
    timer = clock.setTimeout(tick, CHECK_MS);
  }
  return () => clock.clearTimeout(timer);
}
