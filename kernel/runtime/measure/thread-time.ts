// The CPU time that a thread of this process has used, and waited for, as Linux counts it; no other system tells it to other threads.
import { closeSync, openSync, readlinkSync, readSync } from 'node:fs';

const NS_PER_MS = 1e6;

/** @returns the number by which the system knows the calling thread; undefined where it does not tell */
export function ownThread(): number | undefined {
  try {
    const number = /\d+$/.exec(readlinkSync('/proc/thread-self'))?.[0];
    return number === undefined ? undefined : Number(number);
  } catch {
    return undefined;
  }
}

/** What a thread has had of the cores since it began, in milliseconds. */
export interface CoreTime {
  readonly ranMs: number;
  /** It could have run, but others had the cores. */
  readonly waitedMs: number;
}

export class ThreadTime {
  /** What the thread had used when this object was made, in milliseconds. */
  readonly atFirst: number;
  readonly #file: number;
  readonly #text = Buffer.alloc(64);

  /** @throws RangeError where the system does not count */
  private constructor(file: number) {
    this.#file = file;
    const used = this.ms();
    if (used !== undefined) {
      this.atFirst = used;
      return;
    }
    this.close();
    throw new RangeError('the CPU time of threads is not counted');
  }

  /** @param thread its number @returns undefined for one that is not of this process, and where the system does not count */
  static of(thread: number): ThreadTime | undefined {
    try {
      // The file stays open: reading it takes some microseconds, opening it several times as many.
      return new ThreadTime(openSync(`/proc/self/task/${thread}/schedstat`, 'r'));
    } catch {
      return undefined;
    }
  }

  /** Milliseconds; the last few of a running thread may be missing. @returns undefined for a thread that has ended */
  ms(): number | undefined {
    return this.figures()?.ranMs;
  }

  /** @returns undefined for a thread that has ended */
  figures(): CoreTime | undefined {
    try {
      const length = readSync(this.#file, this.#text, 0, this.#text.length, 0);
      const [ran = 0, waited = 0] = this.#text.toString('latin1', 0, length).split(' ', 2).map(Number);
      return ran > 0 ? { ranMs: ran / NS_PER_MS, waitedMs: waited / NS_PER_MS } : undefined;
    } catch {
      return undefined;
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}
