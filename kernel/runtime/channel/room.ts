// Which dispatcher of an actor a call goes to.
import { performance } from 'node:perf_hooks';
import type { Dispatcher } from './dispatcher.ts';
import type { MailboxOptions } from './mailbox-options.ts';
import type { Pending } from './pending.ts';

/** A replica gets so many times as many short calls that write as calls of other kinds: they mostly wait for their commit, which they share in one thread. */
const WRITES_FOR_ONE = 4;

export class Room {
  readonly #dispatchers: readonly Dispatcher[];
  readonly #options: Pick<MailboxOptions, 'perDispatcher' | 'shared'>;

  constructor(dispatchers: readonly Dispatcher[], options: Pick<MailboxOptions, 'perDispatcher' | 'shared'>) {
    this.#dispatchers = dispatchers;
    this.#options = options;
  }

  /** How many calls all dispatchers have set aside. */
  get aside(): number {
    return this.#dispatchers.reduce((sum, _, at) => sum + this.#aside(at), 0);
  }

  /**
   * Short calls that write go to the first dispatcher with room, because each thread has transactions of its own, which wait for one another.
   * @returns the least busy dispatcher with room; of equals the one that has set least aside, because a thread does that one after the other.
   * Slow dispatchers are left out while another dispatcher is quick, because a new call would wait there.
   */
  for({ writes }: Pick<Pending, 'writes'>): Dispatcher | undefined {
    const { perDispatcher, shared } = this.#options;
    const now = performance.now();
    const isQuick = (dispatcher: Dispatcher) => dispatcher.state === 'up' && !dispatcher.isSlow(now, writes);
    const isChoice = this.#dispatchers.length > 1 && this.#dispatchers.some(isQuick);
    const most = perDispatcher * (writes ? WRITES_FOR_ONE : 1);
    let best: Dispatcher | undefined;
    let at = 0;
    let least = most;
    for (let index = 0; index < this.#dispatchers.length; index += 1) {
      const dispatcher = this.#dispatchers[index] as Dispatcher;
      if (dispatcher.state !== 'up' || (isChoice && !isQuick(dispatcher))) continue;
      const engaged = shared?.engaged(index) ?? dispatcher.engaged;
      if (engaged >= most || engaged > least || (best && engaged === least && this.#aside(index) >= this.#aside(at))) continue;
      [best, at, least] = [dispatcher, index, engaged];
      if (writes) break;
    }
    return best && (shared?.claim(at, best.engaged, most) ?? true) ? best : undefined;
  }

  /** Over all threads that call the actor. */
  #aside(at: number): number {
    return this.#options.shared?.aside(at) ?? (this.#dispatchers[at] as Dispatcher).aside;
  }
}
