// Opens direct channels between actors: a new one whenever either end starts. A channel closes when either end is gone.
import { MessageChannel } from 'node:worker_threads';
import type { AnySpec } from '../../actor.ts';
import type { Supervisor } from '../supervise/supervisor.ts';

export class PeerRouter {
  /** For each caller, the names of the actors that it may call. */
  readonly #peers: ReadonlyMap<string, readonly string[]>;
  readonly #running = new Set<Supervisor>();
  /** Those of threads that may call every actor, and that no actor calls. */
  readonly #fronts = new Set<Supervisor>();

  constructor(specs: Readonly<Record<string, AnySpec>>) {
    this.#peers = new Map(Object.entries(specs).map(([name, spec]) => [name, spec.peers ?? []]));
  }

  join(supervisor: Supervisor): void {
    for (const other of this.#running) {
      this.#connect(supervisor, other);
      this.#connect(other, supervisor);
    }
    this.#running.add(supervisor);
    for (const front of this.#fronts) connect(front, supervisor);
  }

  joinCaller(front: Supervisor): void {
    this.#fronts.add(front);
    for (const actor of this.#running) connect(front, actor);
  }

  leave(supervisor: Supervisor): void {
    this.#running.delete(supervisor);
    this.#fronts.delete(supervisor);
  }

  #connect(caller: Supervisor, callee: Supervisor): void {
    if (this.#peers.get(caller.name)?.includes(callee.name)) connect(caller, callee);
  }
}

/** When a thread or process ends, its end of the channel closes, which notifies the other end. */
function connect(caller: Supervisor, callee: Supervisor): void {
  const { port1, port2 } = new MessageChannel();
  callee.incarnation?.give({ kind: 'serve' }, port2);
  caller.incarnation?.give({ kind: 'peer', name: callee.name, key: callee.key, launch: callee.launches }, port1);
}
