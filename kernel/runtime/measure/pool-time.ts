// The CPU time of the pool of threads of this process, in which libuv runs the signatures and reads the files of all others, as Linux counts it.
import { readdirSync, readFileSync } from 'node:fs';
import { ThreadTime } from './thread-time.ts';

const THREADS = '/proc/self/task';
/** Name of each of its threads, which it starts together with its first work. */
const NAME = 'libuv-worker';

export class PoolTime {
  #threads: readonly ThreadTime[] = [];

  /** @returns milliseconds that its threads have used together; 0 before its first work, and where the system does not tell */
  ms(): number {
    if (this.#threads.length === 0) this.#threads = threadsOf();
    return this.#threads.reduce((sum, thread) => sum + (thread.ms() ?? 0), 0);
  }
}

function threadsOf(): readonly ThreadTime[] {
  try {
    const numbers = readdirSync(THREADS).filter((number) => readFileSync(`${THREADS}/${number}/comm`, 'latin1').trim() === NAME);
    return numbers.flatMap((number) => ThreadTime.of(Number(number)) ?? []);
  } catch {
    // No such folder, or a thread ended in between; then the next call looks again.
    return [];
  }
}
