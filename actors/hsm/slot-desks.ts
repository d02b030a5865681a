// Where the calls of one slot run besides the thread of the instance: long calls in a thread of the slot, and with `threads` the uses of keys in theirs.
import { Desk } from './desk.ts';
import type { SlotWatch } from './slot-watch.ts';
import type { TokenThread } from './token-threads.ts';
import { isLong, type Work } from './work.ts';

export class SlotDesks {
  readonly #long: Desk;
  readonly #uses: readonly Desk[];
  #turn = 0;
  readonly #isForOneThread: () => boolean;

  /** @param long the thread of the slot @param uses the threads of the instance for uses of keys, of all slots; none: its own thread */
  constructor(watch: SlotWatch, long: TokenThread, uses: readonly TokenThread[], isForOneThread: () => boolean) {
    this.#long = new Desk(long, watch);
    this.#uses = uses.map((thread) => new Desk(thread, watch));
    this.#isForOneThread = isForOneThread;
  }

  /** False if the library lets only one thread call it. */
  get isOpen(): boolean {
    return !this.#isForOneThread();
  }

  /** Why the slot cannot be used: a call of it does not return. */
  get stall(): string | undefined {
    return this.#long.stall ?? this.#uses.map(({ stall }) => stall).find((each) => each !== undefined);
  }

  /** Whether a call runs in one of the threads. */
  get isBusy(): boolean {
    return this.#long.thread.busy > 0 || this.#uses.some(({ thread }) => thread.busy > 0);
  }

  /** @returns undefined for what the thread of the instance does itself */
  deskFor(work: Work | undefined): Desk | undefined {
    if (!work || !this.isOpen) return undefined;
    if (isLong(work.name)) return this.#long;
    // A thread in which a call hangs gets no other.
    const free = this.#uses.filter(({ thread }) => thread.stall === undefined);
    // Calls that arrive together find all threads alike: they begin with another one each.
    const first = this.#turn++ % Math.max(1, free.length);
    const inTurn = [...free.slice(first), ...free.slice(0, first)];
    return inTurn.reduce<Desk | undefined>((best, other) => (best && best.thread.busy <= other.thread.busy ? best : other), undefined) ?? this.#uses[0];
  }
}
