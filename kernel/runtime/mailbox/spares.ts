// The resting threads of an actor: one starts when a call waits, when calls keep meeting busy threads, or when what they set aside waits for each other.
import { performance } from 'node:perf_hooks';
import type { Dispatcher } from '../channel/dispatcher.ts';

/** Calls that meet a thread with work before another one starts: a short burst is not worth a thread. */
const CROWDED_CALLS = 32;

export class Spares {
  /** Whether there are some. */
  any: boolean;
  readonly #dispatchers: readonly Dispatcher[];
  #crowdedCalls = 0;

  constructor(dispatchers: readonly Dispatcher[]) {
    this.#dispatchers = dispatchers;
    this.any = dispatchers.some(({ state }) => state === 'resting');
  }

  /** @param writes whether the call is short and writes: such calls would wait for each other in several threads too @param dispatcher that gets it */
  note(writes: boolean, dispatcher: Dispatcher): void {
    if (!this.any || writes || dispatcher.engaged === 0) return;
    this.#crowdedCalls += 1;
    if (this.#crowdedCalls >= CROWDED_CALLS || dispatcher.isSlow(performance.now(), false)) this.wakeOne();
  }

  /** @param count of the calls that are set aside: a thread does one after the other */
  noteAside(count: number): void {
    if (count > this.#dispatchers.filter(({ state }) => state !== 'resting').length) this.wakeOne();
  }

  wakeOne(): void {
    if (!this.any) return;
    this.#crowdedCalls = 0;
    const [one, other] = this.#dispatchers.filter(({ state }) => state === 'resting');
    this.any = other !== undefined;
    one?.wake();
  }
}
