// How much short work a thread gives to the pool at a time: less while the thread has to wait for a core, because the pool's threads then only take time from it.
import { type CoreTime, ownThread, ThreadTime } from '../../kernel/runtime/measure/thread-time.ts';

export interface PoolShareOptions {
  /** The most, with which it begins. */
  readonly most: number;
  /** Monotonic time in milliseconds. */
  monotonic(): number;
  /** @returns undefined where the system does not tell: the share stays as it is then */
  coreTime(): CoreTime | undefined;
  /** @returns milliseconds in which cores of the machine had nothing to do */
  idleMs(): number;
}

const LOOK_MS = 250;
/** Part of the time in which the thread could have run. Two threads on one core wait for half of it. */
const CROWDED = 0.2;
const CALM = 0.08;
/** After it was too much, so many looks pass before one more is tried. */
const LOOKS_AFTER_CROWD = 12;
/** Cores. A single front that gave nothing left a third of one idle, and had only waited for its clients; two fronts leave next to nothing. */
const IDLE = 0.1;
/** After nothing was too little, so many looks pass before nothing is tried again, and each time twice as many. */
const LOOKS_AFTER_IDLE = { first: 8, most: 256 } as const;

export class PoolShare {
  readonly #options: PoolShareOptions;
  #width: number;
  #lookedAt: number;
  #last: CoreTime | undefined;
  #lastIdle: number;
  #looksToPass = 0;
  #looksToNone = 0;
  #afterIdle: number = LOOKS_AFTER_IDLE.first;

  constructor(options: PoolShareOptions) {
    this.#options = options;
    this.#width = options.most;
    this.#lookedAt = options.monotonic();
    this.#last = options.coreTime();
    this.#lastIdle = options.idleMs();
  }

  /** Pieces at a time, 0 and more. */
  get width(): number {
    const pastMs = this.#options.monotonic() - this.#lookedAt;
    if (pastMs >= LOOK_MS) this.#look(pastMs);
    return this.#width;
  }

  #look(pastMs: number): void {
    const { most, monotonic, coreTime } = this.#options;
    const [before, now] = [this.#last, coreTime()];
    this.#lookedAt = monotonic();
    this.#last = now;
    const idle = this.#idle(pastMs);
    if (!before || !now) return;
    this.#looksToNone = Math.max(0, this.#looksToNone - 1);
    const waitedMs = now.waitedMs - before.waitedMs;
    const part = waitedMs / Math.max(1, waitedMs + now.ranMs - before.ranMs);
    if (idle >= IDLE) this.#fill();
    else if (part >= CROWDED) {
      this.#width = Math.max(this.#looksToNone === 0 ? 0 : 1, this.#width >> 1);
      this.#looksToPass = LOOKS_AFTER_CROWD;
    } else if (this.#looksToPass > 0) this.#looksToPass -= 1;
    else if (part <= CALM) this.#width = Math.min(this.#width + 1, most);
  }

  /** @returns cores that had nothing to do since the last look */
  #idle(pastMs: number): number {
    const before = this.#lastIdle;
    this.#lastIdle = this.#options.idleMs();
    return (this.#lastIdle - before) / pastMs;
  }

  /** A core has nothing to do: who waits then only waits for a moment. */
  #fill(): void {
    if (this.#width === 0) {
      this.#looksToNone = this.#afterIdle;
      this.#afterIdle = Math.min(2 * this.#afterIdle, LOOKS_AFTER_IDLE.most);
    }
    this.#width = Math.min(this.#width + 1, this.#options.most);
  }
}

/** @returns what the calling thread asks of its own time */
export function ownCoreTime(): () => CoreTime | undefined {
  const thread = ownThread();
  const time = thread === undefined ? undefined : ThreadTime.of(thread);
  return () => time?.figures();
}
