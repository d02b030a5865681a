// The maximum size of a message that is decoded, in any encoding.

/** Levels of nested structures, including the message itself. */
export const MAX_DEPTH = 64;

export interface Limits {
  /** Bytes of the encoded message. */
  readonly bytes: number;
  /** Fields and structures. Each takes a hundred bytes of memory or more in the tree, so a limit on encoded bytes alone is not enough. */
  readonly nodes: number;
}

export const LIMITS: Limits = { bytes: 64 * 1024 * 1024, nodes: 250_000 };
