// The turns of requests at one model: a few run at a time, the others wait, and callers take turns, so that nobody's many requests delay somebody's one.
import { Fault } from '../../kernel/fault.ts';

export interface TurnLimits {
  readonly maxRunning: number;
  /** Requests that wait, of all callers. */
  readonly maxWaiting: number;
  readonly maxWaitingOfOne: number;
}

export class Turns {
  readonly #limits: TurnLimits;
  /** Those that wait, by caller, in the order of their next turns. */
  readonly #waiting = new Map<string, Set<() => void>>();
  #waits = 0;
  #running = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waits;
  }

  /** Runs `work` in its turn. @throws Fault MODEL_BUSY, MODEL_SHARE if too many wait, CANCELLED if the signal is aborted before its turn */
  async run<T>(caller: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limits.maxRunning && this.#waits === 0) this.#running += 1;
    else await this.#wait(caller, signal);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#next();
    }
  }

  #wait(caller: string, signal: AbortSignal): Promise<void> {
    const own = this.#waiting.get(caller) ?? new Set();
    if (own.size >= this.#limits.maxWaitingOfOne) throw new Fault('MODEL_SHARE');
    if (this.#waits >= this.#limits.maxWaiting) throw new Fault('MODEL_BUSY');
    if (signal.aborted) throw new Fault('CANCELLED');
    this.#waiting.set(caller, own);
    this.#waits += 1;
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waits -= 1;
        own.delete(begin);
        if (own.size === 0) this.#waiting.delete(caller);
        signal.removeEventListener('abort', cancel);
      };
      const begin = () => {
        leave();
        this.#running += 1;
        resolve();
      };
      const cancel = () => {
        leave();
        reject(new Fault('CANCELLED'));
      };
      own.add(begin);
      signal.addEventListener('abort', cancel, { once: true });
    });
  }

  #next(): void {
    if (this.#running >= this.#limits.maxRunning) return;
    const [first] = this.#waiting;
    if (!first) return;
    const [caller, own] = first;
    // To the end: the next turn is another caller's.
    this.#waiting.delete(caller);
    this.#waiting.set(caller, own);
    const [begin] = own;
    begin?.();
  }
}
