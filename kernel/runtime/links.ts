// Opens direct channels between actors: a new one whenever either end starts. A channel closes when either end is gone.
import { MessageChannel } from 'node:worker_threads';
import type { AnySpec } from '../actor.ts';
import type { Cell } from './cell.ts';

export class Links {
  /** For each caller, the names of the actors that it may call. */
  readonly #peers: ReadonlyMap<string, readonly string[]>;
  readonly #running = new Set<Cell>();

  constructor(specs: Readonly<Record<string, AnySpec>>) {
    this.#peers = new Map(Object.entries(specs).map(([name, spec]) => [name, spec.peers ?? []]));
  }

  join(cell: Cell): void {
    for (const other of this.#running) {
      this.#connect(cell, other);
      this.#connect(other, cell);
    }
    this.#running.add(cell);
  }

  leave(cell: Cell): void {
    this.#running.delete(cell);
  }

  /** When a thread or process ends, its end of the channel closes, which notifies the other end. */
  #connect(caller: Cell, callee: Cell): void {
    if (!this.#peers.get(caller.name)?.includes(callee.name)) return;
    const { port1, port2 } = new MessageChannel();
    callee.incarnation?.give({ kind: 'serve' }, port2);
    caller.incarnation?.give({ kind: 'peer', name: callee.name, key: callee.key }, port1);
  }
}
