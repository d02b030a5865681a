// The connections of a server: how many there may be, which of them can be spoken to, and ending them all.
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Server } from 'node:tls';
import { Crowd } from './crowd.ts';
import { sourceOf } from './source.ts';

/** Descriptors kept for everything else: databases, libraries, logs, IPC. */
const RESERVED = 256;
/** What may be between counting a connection and its end. */
const CLOSING = 64;
/**
 * Connections that have not sent a request yet. Each costs 20 to 65 kB that malloc does not give back to the system, so a flood of them
 * must not be allowed to pile up: one makes room for the newest. A client that means it needs milliseconds for its first request.
 */
const MAX_SILENT = 1_000;
/** Those that have sent one, of one address or one client certificate. */
const MAX_OF_ONE = 4_000;

export interface Connections {
  /** False for a connection on which nothing can be said yet: its handshake is not done. */
  hasShakenHands(socket: Duplex): boolean;
  /** The TCP connection below a TLS one: what is written there goes out as it is. */
  below(socket: Socket): Socket | undefined;
  /** The connection means it. @param who it counts for from now on, in place of its address */
  heard(socket: Socket, who?: string): void;
  /** Those that were not heard. */
  destroySilent(): void;
  destroyAll(): void;
}

/**
 * Where there are too many connections, whoever has most of them loses its oldest.
 * @param share of all connections that the process may have: 0 to 1
 */
export function watchConnections(server: Server, share: number, limit = openFileLimit()): Connections {
  const sockets = new Map<string, Socket>();
  const [all, silent] = [new Crowd(), new Crowd()];
  const secure = new WeakSet<Duplex>();
  const heard = new WeakSet<Duplex>();
  // Beyond the limit of the operating system no file could be opened either.
  const most = limit === undefined ? Number.POSITIVE_INFINITY : Math.floor(share * Math.max(RESERVED, limit - RESERVED));
  if (Number.isFinite(most)) server.maxConnections = most + CLOSING;
  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket);
    const who = sourceOf(socket.remoteAddress ?? '');
    sockets.set(key, socket);
    all.add(socket, who);
    silent.add(socket, who);
    socket.on('close', () => {
      if (sockets.get(key) === socket) sockets.delete(key);
      all.delete(socket);
      silent.delete(socket);
    });
    if (silent.size > MAX_SILENT) end(silent.oldestOfLargest());
    if (all.countOf(who) > MAX_OF_ONE) end(all.oldestOf(who));
    if (all.size > most) end(all.oldestOfLargest());
  });
  const end = (socket: Socket | undefined) => {
    if (!socket) return;
    all.delete(socket);
    silent.delete(socket);
    socket.destroy();
  };
  server.on('secureConnection', (socket) => secure.add(socket));
  return {
    hasShakenHands: (socket) => secure.has(socket),
    below: (socket) => sockets.get(keyOf(socket)),
    heard(socket, who) {
      if (heard.has(socket)) return;
      heard.add(socket);
      const below = sockets.get(keyOf(socket));
      if (!below) return;
      silent.delete(below);
      if (who === undefined) return;
      all.add(below, who);
      if (all.countOf(who) > MAX_OF_ONE) end(all.oldestOf(who));
    },
    destroySilent() {
      for (const socket of silent) socket.destroy();
    },
    destroyAll() {
      for (const socket of sockets.values()) socket.destroy();
    },
  };
}

/** The TLS socket of a request and the TCP socket below it have the peer in common. */
function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** The soft limit of open files, where the system tells it. */
function openFileLimit(): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
