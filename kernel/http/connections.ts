// The connections of the front: how many there may be, which of them have shaken hands, and ending them all.
import { readFileSync } from 'node:fs';
import type { Server } from 'node:https';
import type { Duplex } from 'node:stream';

/** Descriptors kept for everything else: databases, libraries, logs, IPC. */
const RESERVED = 256;

export interface Connections {
  /** False for a connection on which nothing can be said yet. */
  hasShakenHands(socket: Duplex): boolean;
  destroyAll(): void;
}

export function watchConnections(server: Server): Connections {
  const sockets = new Set<Duplex>();
  const secure = new WeakSet<Duplex>();
  const limit = openFileLimit();
  // Beyond the limit of the operating system no file could be opened either; the connection is closed instead.
  if (limit !== undefined) server.maxConnections = Math.max(RESERVED, limit - RESERVED);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('secureConnection', (socket) => secure.add(socket));
  return {
    hasShakenHands: (socket) => secure.has(socket),
    destroyAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
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
