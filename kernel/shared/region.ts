// Memory that several threads share, with a lock that is free again once the thread that held it has ended.
import { randomFillSync } from 'node:crypto';

export interface Region {
  readonly numbers: Float64Array;
  readonly words: Int32Array;
  /** Random text, the same in every thread: names are hashed with it, so that nobody can choose names that meet. */
  readonly key: string;
  /** Number of this thread, from 0 (the main thread). */
  readonly thread: number;
  readonly threads: number;
  /** The lock: 0, or one more than the number of the thread that holds it. */
  readonly lock: Int32Array;
}

export interface RegionSize {
  readonly numbers: number;
  readonly words: number;
}

interface Memory extends RegionSize {
  readonly bytes: SharedArrayBuffer;
}

/** What a further thread needs to open the same regions; it can be sent to it. */
export interface RegionsMemory {
  readonly threads: number;
  readonly memories: ReadonlyMap<string, Memory>;
}

const KEY_BYTES = 32;
const HEADER_BYTES = 64;
const SPINS = 200;
/** Longest sleep before a thread looks at the lock again, in milliseconds. What happens under a lock takes microseconds. */
const LOOK_AGAIN_MS = 0.1;
/** The main thread gives up then: it alone can free a lock whose holder has ended. */
const MAX_WAIT_MS = 200;

export class Regions {
  readonly thread: number;
  readonly threads: number;
  readonly #memories: Map<string, Memory>;

  /** @param threads how many threads there can be at once, with the main thread */
  constructor(threads: number, thread = 0, memories: ReadonlyMap<string, Memory> = new Map()) {
    this.threads = threads;
    this.thread = thread;
    this.#memories = new Map(memories);
  }

  get memory(): RegionsMemory {
    return { threads: this.threads, memories: this.#memories };
  }

  /** The region of this name. Only the main thread makes new ones. Memory that nobody has written takes no room. */
  open(name: string, size: RegionSize): Region {
    const known = this.#memories.get(name);
    if (!known && this.thread !== 0) throw new Error(`the main thread has no shared memory named ${name}: it must open what its fronts open`);
    const memory = known ?? newMemory(size);
    if (memory.numbers !== size.numbers || memory.words !== size.words) throw new Error(`the shared memory ${name} has another size`);
    this.#memories.set(name, memory);
    return regionIn(memory, this.thread, this.threads);
  }

  /** Frees the locks that an ended thread held. */
  unlock(thread: number): void {
    for (const { bytes } of this.#memories.values()) Atomics.compareExchange(new Int32Array(bytes, 0, 1), 0, thread + 1, 0);
  }
}

function newMemory({ numbers, words }: RegionSize): Memory {
  const bytes = new SharedArrayBuffer(HEADER_BYTES + 8 * numbers + 4 * words);
  randomFillSync(new Uint8Array(bytes, HEADER_BYTES - KEY_BYTES, KEY_BYTES));
  return { bytes, numbers, words };
}

function regionIn({ bytes, numbers, words }: Memory, thread: number, threads: number): Region {
  return {
    numbers: new Float64Array(bytes, HEADER_BYTES, numbers),
    words: new Int32Array(bytes, HEADER_BYTES + 8 * numbers, words),
    key: Buffer.from(new Uint8Array(bytes, HEADER_BYTES - KEY_BYTES, KEY_BYTES)).toString('base64'),
    thread,
    threads,
    lock: new Int32Array(bytes, 0, 1),
  };
}

/** Runs `work` while no other thread does. It must be short, and must not take the same lock again. */
export function locked<T>(region: Region, work: () => T): T {
  const { lock, thread } = region;
  take(lock, thread + 1);
  try {
    return work();
  } finally {
    Atomics.compareExchange(lock, 0, thread + 1, 0);
  }
}

/** @throws Error in the main thread if another thread holds the lock for too long */
function take(lock: Int32Array, mine: number): void {
  let waitedMs = 0;
  for (let tries = 1; ; tries += 1) {
    const holder = Atomics.compareExchange(lock, 0, 0, mine);
    if (holder === 0) return;
    if (tries % SPINS !== 0) continue;
    Atomics.wait(lock, 0, holder, LOOK_AGAIN_MS);
    waitedMs += LOOK_AGAIN_MS;
    if (mine === 1 && waitedMs > MAX_WAIT_MS) throw new Error(`thread ${holder - 1} does not free its lock`);
  }
}
