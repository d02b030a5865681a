// A cache with a limit in bytes. An entry is valid only while the version counter of its owner is unchanged since the entry was read.

interface Entry<T> {
  readonly value: T;
  readonly version: number;
  readonly bytes: number;
}

/** One value may take at most 1/64 of the cache, so that a few large values do not displace all others. */
const MAX_PART_OF_ALL = 64;

export class Cache<T> {
  readonly #maxBytes: number;
  readonly #bytesOf: (value: T) => number;
  readonly #versionOf: (value: T) => number;
  readonly #entries = new Map<string, Entry<T>>();
  #held = 0;
  /** Counts deletions: if one happens during a read, the value that was read may be gone. */
  #deletions = 0;

  /**
   * @param maxBytes size of the cache, 0 for none; the least recently used entry is dropped first
   * @param bytesOf upper bound of the memory for a value
   * @param versionOf version counter of a value's owner
   */
  constructor(maxBytes: number, bytesOf: (value: T) => number, versionOf: (value: T) => number) {
    this.#maxBytes = maxBytes;
    this.#bytesOf = bytesOf;
    this.#versionOf = versionOf;
  }

  get(id: string): T | undefined {
    const entry = this.#entries.get(id);
    if (!entry) return undefined;
    if (this.#versionOf(entry.value) !== entry.version) {
      this.#drop(id);
      return undefined;
    }
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    return entry.value;
  }

  /** Reads a row and caches it, unless it was changed or deleted during the read. */
  async fill(id: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const before = this.#deletions;
    const first = await read();
    if (!first || this.#bytesOf(first) > this.#maxBytes / MAX_PART_OF_ALL) return first;
    // Only the row tells its owner, and so its counter: note the counter, then read the row again under it.
    const version = this.#versionOf(first);
    const value = await read();
    if (!value || this.#deletions !== before || this.#versionOf(value) !== version) return value;
    const bytes = this.#bytesOf(value);
    this.#drop(id);
    this.#entries.set(id, { value, version, bytes });
    this.#held += bytes;
    while (this.#held > this.#maxBytes) this.#drop(this.#entries.keys().next().value as string);
    return value;
  }

  delete(id: string): void {
    this.#deletions += 1;
    this.#drop(id);
  }

  #drop(id: string): void {
    this.#held -= this.#entries.get(id)?.bytes ?? 0;
    this.#entries.delete(id);
  }
}
