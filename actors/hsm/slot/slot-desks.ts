// Where the calls of one slot run besides the thread of the instance: long calls in a thread of the slot, searches for a key beside them, and with `threads` the uses of keys in theirs.
import type { SlotThreads, TokenThread } from '../work/token-threads.ts';
import { isLong, isLookup, type Work } from '../work/work.ts';
import { Desk } from './desk.ts';
import type { SlotWatch } from './slot-watch.ts';

export class SlotDesks {
  readonly #long: Desk;
  readonly #lookups: Desk;
  readonly #uses: readonly Desk[];
  #turn = 0;
  readonly #isForOneThread: () => boolean;

  /** @param threads of the slot: for long calls, and for searches while one runs @param uses the threads of the instance for uses of keys, of all slots; none: its own thread */
  constructor(watch: SlotWatch, threads: SlotThreads, uses: readonly TokenThread[], isForOneThread: () => boolean) {
    this.#long = new Desk(threads.long, watch);
    this.#lookups = new Desk(threads.lookups, watch);
    this.#uses = uses.map((thread) => new Desk(thread, watch));
    this.#isForOneThread = isForOneThread;
  }

  /** False if the library lets only one thread call it. */
  get isOpen(): boolean {
    return !this.#isForOneThread();
  }

  /** Whether uses of keys run in threads of their own. */
  get takesUses(): boolean {
    return this.#uses.length > 0 && this.isOpen;
  }

  /** Why the slot cannot be used: a call of it does not return. */
  get stall(): string | undefined {
    return this.#all.map(({ stall }) => stall).find((each) => each !== undefined);
  }

  /** Whether a call runs in one of the threads. */
  get isBusy(): boolean {
    return this.#all.some(({ thread }) => thread.busy > 0);
  }

  get #all(): readonly Desk[] {
    return [this.#long, this.#lookups, ...this.#uses];
  }

  /** @param areLongWaiting long calls run or wait @returns undefined for what the thread of the instance does itself */
  deskFor(work: Work | undefined, areLongWaiting: boolean): Desk | undefined {
    if (!work || !this.isOpen) return undefined;
    if (isLong(work.name)) return this.#long;
    if (isLookup(work.name) && this.#uses.length === 0) return areLongWaiting || this.#long.thread.busy > 0 ? this.#lookups : this.#long;
    // A thread in which a call hangs gets no other.
    const free = this.#uses.filter(({ thread }) => thread.stall === undefined);
    // Calls that arrive together find all threads alike: they begin with another one each.
    const first = this.#turn++ % Math.max(1, free.length);
    const inTurn = [...free.slice(first), ...free.slice(0, first)];
    return inTurn.reduce<Desk | undefined>((best, other) => (best && best.thread.busy <= other.thread.busy ? best : other), undefined) ?? this.#uses[0];
  }
}
