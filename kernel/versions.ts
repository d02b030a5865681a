// Version counters in shared memory: how a thread learns that another one changed what it has cached.

const SLOTS = 65_536;

/**
 * Counters indexed by a hash of an object's identifier. A writer bumps after its commit and before its reply. A reader notes the counter
 * before it reads the row, caches both, and trusts a hit only while the counter is unchanged. Two identifiers may share a counter: that
 * costs a read, never a stale answer.
 */
export interface Versions {
  readonly memory: SharedArrayBuffer;
  /** One more element of the memory: the turns of those who write the store. */
  readonly turns: Int32Array;
  read(id: string): number;
  bump(id: string): void;
  /** After the loss of a writer, whose last bumps may be missing. */
  bumpAll(): void;
}

export function createVersions(memory: SharedArrayBuffer = new SharedArrayBuffer(4 * (SLOTS + 2))): Versions {
  const counters = new Int32Array(memory);
  return {
    memory,
    turns: counters.subarray(SLOTS + 1),
    // The counter after them is the epoch of bumpAll: one addition instead of 65 536.
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

/** The identifier of a user's counter: neither part can hold a slash, so that two users never share one by their names. */
export function userCounter(realm: string, username: string): string {
  return `user:${realm}/${username}`;
}
