// The calls of one actor over all threads that call it, in shared memory: its queue has one bound, and its threads get no more calls at a time than one caller may send.
import type { Bell } from '../../shared/bell.ts';
import type { SharedMemory } from '../../shared/memory.ts';
import type { Dispatcher } from './dispatcher.ts';

const LOOK_AGAIN_MS = 10;

/** Each calling thread has a row of its own: its calls, those of them that wait for a place, those that each dispatcher works on, and those that each has set aside. */
export class SharedQueue {
  readonly #words: Int32Array;
  readonly #bell: Bell;
  readonly #threads: number;
  readonly #width: number;
  readonly #dispatchers: number;
  readonly #own: number;
  #pump: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;

  /** @param name of the actor and, if each of its dispatchers has a queue of its own, of that dispatcher */
  constructor({ regions, bell }: SharedMemory, name: string, dispatchers: number) {
    this.#threads = regions.threads;
    this.#dispatchers = dispatchers;
    this.#width = 2 + 2 * dispatchers;
    this.#own = regions.thread * this.#width;
    this.#words = regions.open(`calls of ${name}`, { numbers: 0, words: this.#threads * this.#width }).words;
    this.#bell = bell;
  }

  /** @param pump called when there may be room that another thread had */
  listen(pump: () => void): void {
    this.#pump = pump;
    this.#bell.listen(pump);
  }

  /** Counts a further call. @param own calls of this thread without it @returns false if there would be more than `most` */
  admits(own: number, most: number): boolean {
    Atomics.store(this.#words, this.#own, own + 1);
    return this.#sum(0) <= most;
  }

  /** @param calls of this thread @param waiting those of them that wait for a place */
  note(calls: number, waiting: number): void {
    Atomics.store(this.#words, this.#own, calls);
    Atomics.store(this.#words, this.#own + 1, waiting);
    if (waiting > 0) this.#timer ??= setTimeout(this.#lookAgain, LOOK_AGAIN_MS);
  }

  /** @returns how many calls a dispatcher works on */
  engaged(dispatcher: number): number {
    return this.#sum(2 + dispatcher);
  }

  /** @returns how many calls a dispatcher has set aside */
  aside(dispatcher: number): number {
    return this.#sum(2 + this.#dispatchers + dispatcher);
  }

  /** Counts one more call of a dispatcher. @param own those of this thread @returns false if there would be more than `most` */
  claim(dispatcher: number, own: number, most: number): boolean {
    const at = this.#own + 2 + dispatcher;
    Atomics.store(this.#words, at, own + 1);
    if (this.#sum(2 + dispatcher) <= most) return true;
    Atomics.store(this.#words, at, own);
    return false;
  }

  /** @param running calls of this thread, of each dispatcher */
  noteRunning(running: readonly Pick<Dispatcher, 'engaged' | 'aside'>[]): void {
    for (const [dispatcher, { engaged, aside }] of running.entries()) {
      Atomics.store(this.#words, this.#own + 2 + dispatcher, engaged);
      Atomics.store(this.#words, this.#own + 2 + this.#dispatchers + dispatcher, aside);
    }
  }

  /** @returns whether calls wait in other threads, which are told that there may be room */
  wakeOthers(): boolean {
    let woken = false;
    for (let thread = 0; thread < this.#threads; thread += 1) {
      const at = thread * this.#width;
      if (at === this.#own || Atomics.load(this.#words, at + 1) === 0) continue;
      this.#bell.ring(thread);
      woken = true;
    }
    return woken;
  }

  /** Forgets the calls of an ended thread. */
  giveBack(thread: number): void {
    for (let at = thread * this.#width; at < (thread + 1) * this.#width; at += 1) Atomics.store(this.#words, at, 0);
    for (let other = 0; other < this.#threads; other += 1) this.#bell.ring(other);
  }

  /** Two threads that try to take one place at the same moment may both leave it. */
  readonly #lookAgain = (): void => {
    this.#timer = undefined;
    this.#pump();
    if (Atomics.load(this.#words, this.#own + 1) > 0) this.#timer ??= setTimeout(this.#lookAgain, LOOK_AGAIN_MS);
  };

  #sum(column: number): number {
    let sum = 0;
    for (let thread = 0; thread < this.#threads; thread += 1) sum += Atomics.load(this.#words, thread * this.#width + column);
    return sum;
  }
}
