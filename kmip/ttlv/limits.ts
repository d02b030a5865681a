// How large a message may be that is decoded, in any encoding.

/** Structures inside structures, the message itself counted. */
export const MAX_DEPTH = 64;

export interface Limits {
  /** Bytes of the encoded message. */
  readonly bytes: number;
  /** Fields and structures; a tree takes some hundred bytes of memory for each, so the bytes alone do not bound it. */
  readonly nodes: number;
}

export const LIMITS: Limits = { bytes: 64 * 1024 * 1024, nodes: 250_000 };
