// The key that wraps the data keys of the server: the root key, or one that stays where a plugin keeps it.

/**
 * Its calls are promises: it may be in another thread, process or machine. Each call ends within a deadline of its own. A call that fails says
 * that the key cannot be reached now, and may be made again later.
 */
export interface KeyEncryptionKey {
  /** Names the key and tells nothing of its bytes. It is stored beside what the key wraps: 1 to 256 characters, no control character. */
  readonly id: string;
  /** @param label what the data key is for; what comes back is opened with the same label only */
  wrap(dataKey: Uint8Array, label: string): Promise<Uint8Array>;
  /** @returns a copy that the caller overwrites; undefined where this key or this label did not wrap it */
  unwrap(wrapped: Uint8Array, label: string): Promise<Uint8Array | undefined>;
}
