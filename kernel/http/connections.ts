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
  noteActivity(socket: Socket, who?: string): void;
  /** Closes the connections that have not sent a request. */
  destroySilent(): void;
  destroyAll(): void;
}

/**
 * If there are too many connections, the holder with the most connections loses its oldest one.
 * @param share part of all connections that the process may have: 0 to 1
 */
export function watchConnections(server: Server, share: number, limit = openFileLimit()): Connections {
  // At the limit of the operating system no file could be opened either.
  const most = limit === undefined ? Number.POSITIVE_INFINITY : Math.floor(share * Math.max(RESERVED, limit - RESERVED));
  if (Number.isFinite(most)) server.maxConnections = most + CLOSING;
  const watched = new WatchedConnections(most);
  server.on('connection', (socket: Socket) => watched.add(socket));
  server.on('secureConnection', (socket) => watched.secure(socket));
  return watched;
}

class WatchedConnections implements Connections {
  readonly #most: number;
  readonly #sockets = new Map<string, Socket>();
  readonly #all = new Crowd();
  readonly #silent = new Crowd();
  readonly #secure = new WeakSet<Duplex>();
  readonly #heard = new WeakSet<Duplex>();

  constructor(most: number) {
    this.#most = most;
  }

  add(socket: Socket): void {
    const key = keyOf(socket);
    const who = sourceOf(socket.remoteAddress ?? '');
    this.#sockets.set(key, socket);
    this.#all.add(socket, who);
    this.#silent.add(socket, who);
    socket.on('close', () => {
      if (this.#sockets.get(key) === socket) this.#sockets.delete(key);
      this.#all.delete(socket);
      this.#silent.delete(socket);
    });
    if (this.#silent.size > MAX_SILENT) this.#end(this.#silent.oldestOfLargest());
    this.#limit(who);
    if (this.#all.size > this.#most) this.#end(this.#all.oldestOfLargest());
  }

  secure(socket: Duplex): void {
    this.#secure.add(socket);
  }

  hasShakenHands(socket: Duplex): boolean {
    return this.#secure.has(socket);
  }

  below(socket: Socket): Socket | undefined {
    return this.#sockets.get(keyOf(socket));
  }

  noteActivity(socket: Socket, who?: string): void {
    if (this.#heard.has(socket)) return;
    this.#heard.add(socket);
    const below = this.below(socket);
    if (!below) return;
    this.#silent.delete(below);
    if (who === undefined) return;
    this.#all.add(below, who);
    this.#limit(who);
  }

  destroySilent(): void {
    for (const socket of this.#silent) socket.destroy();
  }

  destroyAll(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }

  #limit(who: string): void {
    if (this.#all.countOf(who) > MAX_OF_ONE) this.#end(this.#all.oldestOf(who));
  }

  #end(socket: Socket | undefined): void {
    if (!socket) return;
    this.#all.delete(socket);
    this.#silent.delete(socket);
    socket.destroy();
  }
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
