// How much short work a thread gives to the pool at a time: less while the thread has to wait for a core, because the pool's threads then only take time from it.
import { type CoreTime, ownThread, ThreadTime } from '../../kernel/runtime/thread-time.ts';

export interface PoolShareOptions {
  /** The most, with which it begins. */
  readonly most: number;
  /** Monotonic time in milliseconds. */
  monotonic(): number;
  /** @returns undefined where the system does not tell: the share stays as it is then */
  coreTime(): CoreTime | undefined;
}

/** With none, a core stayed idle for seconds where there is one front, which had only waited for its clients. */
const LEAST = 1;
const LOOK_MS = 250;
/** Part of the time in which the thread could have run. Two threads on one core wait for half of it. */
const CROWDED = 0.2;
const CALM = 0.08;
/** After it was too much, so many looks pass before one more is tried. */
const LOOKS_AFTER_CROWD = 12;

export class PoolShare {
  readonly #options: PoolShareOptions;
  #width: number;
  #lookedAt: number;
  #last: CoreTime | undefined;
  #looksToPass = 0;

  constructor(options: PoolShareOptions) {
    this.#options = options;
    this.#width = options.most;
    this.#lookedAt = options.monotonic();
    this.#last = options.coreTime();
  }

  /** Pieces at a time, 1 and more. */
  get width(): number {
    if (this.#options.monotonic() - this.#lookedAt >= LOOK_MS) this.#look();
    return this.#width;
  }

  #look(): void {
    const { most, monotonic, coreTime } = this.#options;
    const [before, now] = [this.#last, coreTime()];
    this.#lookedAt = monotonic();
    this.#last = now;
    if (!before || !now) return;
    const waitedMs = now.waitedMs - before.waitedMs;
    const part = waitedMs / Math.max(1, waitedMs + now.ranMs - before.ranMs);
    if (part >= CROWDED) {
      this.#width = Math.max(LEAST, this.#width >> 1);
      this.#looksToPass = LOOKS_AFTER_CROWD;
    } else if (this.#looksToPass > 0) this.#looksToPass -= 1;
    else if (part <= CALM) this.#width = Math.min(this.#width + 1, most);
  }
}

/** @returns what the calling thread asks of its own time */
export function ownCoreTime(): () => CoreTime | undefined {
  const thread = ownThread();
  const time = thread === undefined ? undefined : ThreadTime.of(thread);
  return () => time?.figures();
}
