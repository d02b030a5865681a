// Counts connections by holder and keeps them in the order in which they were opened.
import type { Socket } from 'node:net';

export class Crowd {
  readonly #owners = new Map<Socket, string>();
  readonly #sockets = new Map<string, Set<Socket>>();

  get size(): number {
    return this.#owners.size;
  }

  countOf(who: string): number {
    return this.#sockets.get(who)?.size ?? 0;
  }

  /** Adds a connection, or moves it to another holder. */
  add(socket: Socket, who: string): void {
    this.delete(socket);
    this.#owners.set(socket, who);
    const own = this.#sockets.get(who) ?? new Set();
    this.#sockets.set(who, own.add(socket));
  }

  delete(socket: Socket): void {
    const who = this.#owners.get(socket);
    if (who === undefined) return;
    this.#owners.delete(socket);
    const own = this.#sockets.get(who);
    own?.delete(socket);
    if (own?.size === 0) this.#sockets.delete(who);
  }

  oldestOf(who: string): Socket | undefined {
    return this.#sockets.get(who)?.values().next().value;
  }

  /** @returns the oldest connection of the holder with the most connections */
  oldestOfLargest(): Socket | undefined {
    let most: ReadonlySet<Socket> | undefined;
    for (const own of this.#sockets.values()) if (!most || own.size > most.size) most = own;
    return most?.values().next().value;
  }

  [Symbol.iterator](): Iterator<Socket> {
    return this.#owners.keys();
  }
}
