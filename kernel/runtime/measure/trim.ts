// Returns freed memory to the system when the server is idle, because glibc's malloc keeps what lies below memory in use: 55 kB for each TLS connection that has ended.
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log/log-entry.ts';
import { repeat } from '../../repeat.ts';

export interface ProcessMemory {
  /** @returns how much of the machine's memory the process has, bytes */
  resident(): number;
  /** Returns to the system what malloc has free. @returns false where that is not possible */
  trim(): boolean;
}

interface TrimOptions {
  readonly clock: Clock;
  readonly log: Pick<Log, 'debug'>;
  /** @returns the part of the time since its last call in which this thread was busy: 0 to 1 */
  busy(): number;
  /** For tests: another than this process'. */
  readonly memory?: ProcessMemory;
}

const LOOK_MS = 5_000;
/** A call takes 6 ms for 100 MB, in which threads wait that want memory: nobody is to notice. */
const MAX_BUSY = 0.2;
/** Growth since the last call that makes another one worth it. */
const WORTH = 50e6;

/** @returns a function that ends it */
export function trimWhenIdle({ clock, log, busy, memory = OWN }: TrimOptions): () => void {
  let least = 0;
  const look = async () => {
    const before = memory.resident();
    least = Math.min(least, before);
    if (busy() > MAX_BUSY || before - least < WORTH) return;
    if (!memory.trim()) return end();
    least = memory.resident();
    log.debug({ before, after: least }, 'freed memory was returned to the system');
  };
  const end = repeat(clock, LOOK_MS, look, () => {});
  return end;
}

const OWN: ProcessMemory = { resident: () => process.memoryUsage.rss(), trim: () => process.platform === 'linux' && mallocTrim() };

/** How SQLite tells that a function was called and did not return 0, and malloc_trim returns 1 when it returned memory. */
const CALLED = 'error during initialization';

/**
 * Calls malloc_trim of glibc. Node has no call for it, but SQLite loads a library and calls a function in it by name. The argument is not ours: it is an address,
 * and as the number of bytes to keep at the end of the heap it keeps all of them, which free returns by itself.
 * @returns false where the C library has no such function
 */
function mallocTrim(): boolean {
  const db = new DatabaseSync(':memory:', { allowExtension: true });
  try {
    db.loadExtension('libc.so.6', 'malloc_trim');
    return true;
  } catch (error) {
    return error instanceof Error && error.message.startsWith(CALLED);
  } finally {
    db.close();
  }
}
