// What other threads do on a slot, as the thread that watches it asks.

export interface Occupied {
  /** Why nobody can use the slot while a call does not return; undefined if none hangs. */
  stall(): string | undefined;
  /** The token does one call at a time, and has one. */
  isHeld(): boolean;
}
