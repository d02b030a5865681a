// Version counters in shared memory, by which a thread learns that another thread has changed what it has cached.

const SLOTS = 65_536;

/**
 * Counters indexed by a hash of an object's identifier. A writer increments the counter after its commit and before its reply. A reader gets the
 * counter before it reads the row, caches both, and uses the cached row only while the counter is unchanged. If two identifiers share a counter,
 * that costs an extra read but never gives a stale answer.
 */
export interface Versions {
  readonly memory: SharedArrayBuffer;
  /** A further element of the memory, used for the turns of threads that write to the store. */
  readonly turns: Int32Array;
  read(id: string): number;
  bump(id: string): void;
  /** Invalidates everything, for use after the loss of a writer that may not have incremented its last counters. */
  bumpAll(): void;
}

export function createVersions(memory: SharedArrayBuffer = new SharedArrayBuffer(4 * (SLOTS + 2))): Versions {
  const counters = new Int32Array(memory);
  return {
    memory,
    turns: counters.subarray(SLOTS + 1),
    // The element after the counters is incremented by bumpAll: one addition instead of 65 536.
    read: (id) => (Atomics.load(counters, slotOf(id)) + Atomics.load(counters, SLOTS)) | 0,
    bump: (id) => void Atomics.add(counters, slotOf(id), 1),
    bumpAll: () => void Atomics.add(counters, SLOTS, 1),
  };
}

/** FNV-1a over UTF-16 code units; the same in every thread. */
export function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function slotOf(id: string): number {
  return hashOf(id) % SLOTS;
}

/** @returns the identifier of a user's counter. Neither part can contain a slash, so different users have different identifiers. */
export function userCounter(realm: string, username: string): string {
  return `user:${realm}/${username}`;
}
