// Tells the thread that watches a slot whether other threads use it now.

export interface Occupied {
  /** Why nobody can use the slot while a call does not return; undefined if none hangs. */
  stall(): string | undefined;
  /** The token does one call at a time, and has one. */
  isHeld(): boolean;
}
