// The connections of a server: how many there may be, which of them can be spoken to, and ending them all.
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Server } from 'node:tls';

/** Descriptors kept for everything else: databases, libraries, logs, IPC. */
const RESERVED = 256;
/**
 * Connections that have not sent a request yet. Each costs 20 to 65 kB that malloc does not give back to the system, so a flood of them
 * must not be allowed to pile up: the oldest makes room for the newest. A client that means it needs milliseconds for its first request.
 */
const MOST_SILENT = 1_000;

export interface Connections {
  /** False for a connection on which nothing can be said yet: its handshake is not done. */
  hasShakenHands(socket: Duplex): boolean;
  /** The TCP connection below a TLS one: what is written there goes out as it is. */
  below(socket: Socket): Socket | undefined;
  /** The connection means it: it makes room for nobody any more. */
  heard(socket: Socket): void;
  /** Those that were not heard. */
  destroySilent(): void;
  destroyAll(): void;
}

/** @param share of all connections that the process may have: 0 to 1 */
export function watchConnections(server: Server, share: number): Connections {
  const sockets = new Map<string, Socket>();
  const silent = new Map<string, Socket>();
  const secure = new WeakSet<Duplex>();
  const heard = new WeakSet<Duplex>();
  const limit = openFileLimit();
  // Beyond the limit of the operating system no file could be opened either; the connection is closed instead.
  if (limit !== undefined) server.maxConnections = Math.floor(share * Math.max(RESERVED, limit - RESERVED));
  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket);
    sockets.set(key, socket);
    silent.set(key, socket);
    socket.on('close', () => {
      if (sockets.get(key) === socket) sockets.delete(key);
      if (silent.get(key) === socket) silent.delete(key);
    });
    if (silent.size > MOST_SILENT) silent.values().next().value?.destroy();
  });
  server.on('secureConnection', (socket) => secure.add(socket));
  return {
    hasShakenHands: (socket) => secure.has(socket),
    below: (socket) => sockets.get(keyOf(socket)),
    heard(socket) {
      if (heard.has(socket)) return;
      heard.add(socket);
      silent.delete(keyOf(socket));
    },
    destroySilent() {
      for (const socket of silent.values()) socket.destroy();
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
