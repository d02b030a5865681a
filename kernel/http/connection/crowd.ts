// Counts connections by holder over all threads, in the order in which they were opened.
import type { Socket } from 'node:net';
import { type Item, type Ledger, newItem } from '../../shared/ledger.ts';

export class Crowd {
  readonly #ledger: Ledger;
  readonly #items = new Map<Socket, Item>();
  readonly #end: (socket: Socket) => void;

  /** @param end closes a connection of this thread for which there is no room */
  constructor(ledger: Ledger, end: (socket: Socket) => void) {
    this.#ledger = ledger;
    this.#end = end;
  }

  /** Adds a connection, or moves it to another holder. The oldest of the holder with the most connections are closed beyond `most`, and of this one's beyond `mostOfOne`. */
  add(socket: Socket, who: string, most: number, mostOfOne: number): void {
    this.delete(socket);
    const ledger = this.#ledger;
    const item = newItem(who, () => {
      this.#items.delete(socket);
      this.#end(socket);
    });
    this.#items.set(socket, item);
    const hasRoom = ledger.change(() => {
      const isIn = ledger.put(item, 1);
      while (ledger.held(who) > mostOfOne && ledger.lose(who) !== undefined);
      while (ledger.total > most && ledger.lose() !== undefined);
      return isIn;
    });
    if (!hasRoom) item.lose();
  }

  delete(socket: Socket): void {
    const item = this.#items.get(socket);
    if (!item) return;
    this.#items.delete(socket);
    if (this.#ledger.isIn(item)) this.#ledger.change(() => this.#ledger.put(item, 0));
  }

  /** Number of connections of this thread. */
  get size(): number {
    return this.#items.size;
  }

  [Symbol.iterator](): Iterator<Socket> {
    return this.#items.keys();
  }
}
