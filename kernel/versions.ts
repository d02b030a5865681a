// Version counters in shared memory, by which a thread learns that another thread, or another node, has changed what it has cached.
import { TRUST_CELLS, Trust } from './trust.ts';

export const SLOTS = 65_536;

/**
 * Counters indexed by a hash of an object's identifier. A writer increments the counter after its commit and before its reply. A reader gets the
 * counter before it reads the row, caches both, and uses the cached row only while the counter is unchanged. If two identifiers share a counter,
 * that costs an extra read but never gives a stale answer. On a store that other nodes write, other nodes' changes move the counters under the rules
 * of store/lease.ts.
 */
export interface Versions {
  readonly memory: SharedArrayBuffer;
  /** A further element of the memory, used for the turns of threads that write to the store. */
  readonly turns: Int32Array;
  /** Whether this process may use what it has cached. */
  readonly trust: Trust;
  /** @returns NaN, which equals no number, while nothing may be cached */
  read(id: string): number;
  bump(id: string): void;
  /** @param slot from slotOf */
  bumpSlot(slot: number): void;
  /** Invalidates everything, for use after the loss of a writer that may not have incremented its last counters. */
  bumpAll(): void;
}

export function createVersions(memory: SharedArrayBuffer = new SharedArrayBuffer(4 * (SLOTS + 2 + TRUST_CELLS))): Versions {
  const counters = new Int32Array(memory);
  const trust = new Trust(counters.subarray(SLOTS + 2));
  const bumpSlot = (slot: number) => void Atomics.add(counters, slot, 1);
  return {
    memory,
    turns: counters.subarray(SLOTS + 1, SLOTS + 2),
    trust,
    bumpSlot,
    // The element after the counters is incremented by bumpAll: one addition instead of 65 536.
    read: (id) => (trust.isTrusted ? (Atomics.load(counters, slotOf(id)) + Atomics.load(counters, SLOTS)) | 0 : Number.NaN),
    bump: (id) => bumpSlot(slotOf(id)),
    bumpAll: () => void Atomics.add(counters, SLOTS, 1),
  };
}

/** FNV-1a over UTF-16 code units; the same in every thread. */
export function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** @returns the counter of an identifier, below SLOTS */
export function slotOf(id: string): number {
  return hashOf(id) % SLOTS;
}

/** @returns the identifier of a user's counter. Neither part can contain a slash, so different users have different identifiers. */
export function userCounter(realm: string, username: string): string {
  return `user:${realm}/${username}`;
}
