// The interface of the key that wraps the data keys of the server: the root key, or a key that stays outside, such as in an HSM.

/**
 * The methods return promises, because the key may be in another thread, process or machine. Each call must end within its own deadline. A call
 * that fails means that the key cannot be reached now; the caller may try again later.
 */
export interface KeyEncryptionKey {
  /** Name of the key, stored with the wrapped data keys. It must reveal nothing about the bytes of the key. 1 to 256 characters, no control characters. */
  readonly id: string;
  /** Settles when the place of the key answers, whether or not the key has been made: what follows is quick. Absent if it always is. */
  meet?(): Promise<void>;
  /** @param label purpose of the data key; the result can be opened only with the same label */
  wrap(dataKey: Uint8Array, label: string): Promise<Uint8Array>;
  /** @returns a copy that the caller must overwrite after use; undefined if it was wrapped with another key or label */
  unwrap(wrapped: Uint8Array, label: string): Promise<Uint8Array | undefined>;
}
