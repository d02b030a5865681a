// Watches the connections of a server: limits their number over all threads, knows which have finished the TLS handshake, and closes them all.
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Server } from 'node:tls';
import type { Bell } from '../../shared/bell.ts';
import { Ledger } from '../../shared/ledger.ts';
import type { Regions } from '../../shared/region.ts';
import { keyOf } from './connection-key.ts';
import { Crowd } from './crowd.ts';
import { sourceOf } from './source.ts';

/** File descriptors reserved for everything else: databases, libraries, logs, IPC. Where there are few, half of them, but what an idle server has open. */
const RESERVED = 256;
const MIN_RESERVED = 112;
const MIN_CONNECTIONS = 16;
/** Connections that are no longer counted but not closed yet; where there are few, a quarter of all. */
const CLOSING = 64;
/**
 * Limit of connections that have not sent a request yet. Each costs 20 to 65 kB, which malloc keeps as long as the server is busy, so they must
 * not pile up: beyond the limit an old one is closed. An honest client sends its first request within milliseconds.
 */
const MAX_SILENT = 1_000;
/** Places for holders, as a multiple of the connections. */
const PLACES = 16;
/** Where the system names no limit. */
const MAX_COUNTED = 131_072;
/** Limit of all connections from one address or with one client certificate. */
const MAX_OF_ONE = 4_000;
/** Time from one connection that is made anew to the next: each costs a handshake. */
const RENEW_MS = 5;

export interface Connections {
  /** False while the TLS handshake is not finished: nothing can be sent yet. */
  hasShakenHands(socket: Duplex): boolean;
  /** The TCP connection below a TLS connection. Bytes written there are sent unencrypted. */
  below(socket: Socket): Socket | undefined;
  /** The connection has sent a request. @param who its holder from now on, instead of its address */
  noteActivity(socket: Socket, who?: string): void;
  /** From now on the open connections are to be made anew, some after the other: another thread has begun to take connections. */
  renew(): void;
  /** From now on every connection is one of them, whenever it was opened. */
  drain(): void;
  /** @returns whether the connection is one of them and its turn has come; it is not one of them any more */
  isToRenew(socket: Socket): boolean;
  /** @returns whether a connection of this thread has not sent a request */
  hasSilent(): boolean;
  /** Closes the connections that have not sent a request. */
  destroySilent(): void;
  destroyAll(): void;
}

/** Counts the connections of one port over all threads. */
export interface ConnectionLedgers {
  readonly most: number;
  readonly all: Ledger;
  readonly silent: Ledger;
}

/**
 * @param share part of all connections that the process may have: 0 to 1
 * @param name of the port, for the shared memory
 */
export function connectionLedgers(regions: Regions, bell: Bell, name: string, share: number, limit = openFileLimit()): ConnectionLedgers {
  const most = Math.min(MAX_COUNTED, limit === undefined ? MAX_COUNTED : Math.max(MIN_CONNECTIONS, Math.floor(share * withoutReserved(limit))));
  const ledger = (crowd: string, limitOfAll: number) => {
    const items = limitOfAll + CLOSING;
    return new Ledger(regions, bell, `${crowd} of ${name}`, { items, holders: PLACES * items, loses: 'oldest' });
  };
  return { most, all: ledger('connections', most), silent: ledger('silent connections', Math.min(most, MAX_SILENT)) };
}

/** At the limit of the operating system no file could be opened either. */
const withoutReserved = (limit: number): number => limit - Math.min(RESERVED, Math.max(MIN_RESERVED, Math.ceil(limit / 2)));

/** If there are too many connections, the holder with the most connections loses its oldest one. */
export function watchConnections(server: Server, ledgers: ConnectionLedgers): Connections {
  server.maxConnections = ledgers.most + Math.min(CLOSING, Math.ceil(ledgers.most / 4));
  const watched = new WatchedConnections(ledgers);
  server.on('connection', (socket: Socket) => watched.add(socket));
  server.on('secureConnection', (socket) => watched.secure(socket));
  return watched;
}

class WatchedConnections implements Connections {
  readonly #most: number;
  readonly #sockets = new Map<string, Socket>();
  readonly #all: Crowd;
  readonly #silent: Crowd;
  readonly #secure = new WeakSet<Duplex>();
  readonly #heard = new WeakSet<Duplex>();
  /** Keys of connections to be made anew. */
  #old = new Set<string>();
  #isDraining = false;
  #renewedAt = 0;

  constructor({ most, all, silent }: ConnectionLedgers) {
    this.#most = most;
    this.#all = new Crowd(all, (socket) => this.#end(socket));
    this.#silent = new Crowd(silent, (socket) => this.#end(socket));
  }

  add(socket: Socket): void {
    const key = keyOf(socket);
    const who = sourceOf(socket.remoteAddress ?? '');
    this.#sockets.set(key, socket);
    socket.on('close', () => {
      if (this.#sockets.get(key) === socket) {
        this.#sockets.delete(key);
        this.#old.delete(key);
      }
      this.#all.delete(socket);
      this.#silent.delete(socket);
    });
    this.#silent.add(socket, who, MAX_SILENT, Number.POSITIVE_INFINITY);
    this.#all.add(socket, who, this.#most, MAX_OF_ONE);
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
    this.#all.add(below, who, this.#most, MAX_OF_ONE);
  }

  drain(): void {
    this.#isDraining = true;
  }

  renew(): void {
    this.#old = new Set(this.#sockets.keys());
  }

  isToRenew(socket: Socket): boolean {
    if (this.#isDraining) return true;
    if (this.#old.size === 0) return false;
    const now = performance.now();
    if (now - this.#renewedAt < RENEW_MS || !this.#old.delete(keyOf(socket))) return false;
    this.#renewedAt = now;
    return true;
  }

  hasSilent(): boolean {
    return this.#silent.size > 0;
  }

  destroySilent(): void {
    for (const socket of this.#silent) socket.destroy();
  }

  destroyAll(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }

  #end(socket: Socket): void {
    this.#all.delete(socket);
    this.#silent.delete(socket);
    socket.destroy();
  }
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
