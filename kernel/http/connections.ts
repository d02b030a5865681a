// Watches the connections of a server: limits their number, knows which have finished the TLS handshake, and closes them all.
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Server } from 'node:tls';
import { Crowd } from './crowd.ts';
import { sourceOf } from './source.ts';

/** File descriptors reserved for everything else: databases, libraries, logs, IPC. */
const RESERVED = 256;
/** Connections that are no longer counted but not closed yet. */
const CLOSING = 64;
/**
 * Limit of connections that have not sent a request yet. Each costs 20 to 65 kB that malloc does not return to the system, so they must
 * not pile up: beyond the limit an old one is closed. An honest client sends its first request within milliseconds.
 */
const MAX_SILENT = 1_000;
/** Limit of all connections from one address or with one client certificate. */
const MAX_OF_ONE = 4_000;

export interface Connections {
  /** False while the TLS handshake is not finished: nothing can be sent yet. */
  hasShakenHands(socket: Duplex): boolean;
  /** The TCP connection below a TLS connection. Bytes written there are sent unencrypted. */
  below(socket: Socket): Socket | undefined;
  /** The connection has sent a request. @param who its holder from now on, instead of its address */
  heard(socket: Socket, who?: string): void;
  /** Closes the connections that have not sent a request. */
  destroySilent(): void;
  destroyAll(): void;
}

/**
 * If there are too many connections, the holder with the most connections loses its oldest one.
 * @param share part of all connections that the process may have: 0 to 1
 */
export function watchConnections(server: Server, share: number, limit = openFileLimit()): Connections {
  const sockets = new Map<string, Socket>();
  const [all, silent] = [new Crowd(), new Crowd()];
  const secure = new WeakSet<Duplex>();
  const heard = new WeakSet<Duplex>();
  // At the limit of the operating system no file could be opened either.
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

/** Identifies a connection by its peer, which the TLS socket of a request and the TCP socket below it share. */
function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** @returns the soft limit of open files; undefined if the system does not report it */
function openFileLimit(): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
