// A cache of bounded bytes whose entries are trusted only while the version counter they were read under is unchanged.

interface Entry<T> {
  readonly value: T;
  readonly version: number;
  readonly bytes: number;
}

/** Part of the whole that one value may take: a few large ones are not to push all others out. */
const LARGEST_PART = 64;

export class Cache<T> {
  readonly #maxBytes: number;
  readonly #bytesOf: (value: T) => number;
  readonly #versionOf: (value: T) => number;
  readonly #entries = new Map<string, Entry<T>>();
  #held = 0;
  /** Deletions while a read is under way: what it read may be gone. */
  #deletions = 0;

  /**
   * @param maxBytes held, 0 for none; the least recently used goes first
   * @param bytesOf memory that a value takes at most
   * @param versionOf the counter of a value's owner
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

  /** Reads a row and keeps it, unless it was changed or deleted while it was read. */
  async fill(id: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const before = this.#deletions;
    const first = await read();
    if (!first || this.#bytesOf(first) > this.#maxBytes / LARGEST_PART) return first;
    // The counter is known only by the row's owner: it is noted, and the row read again under it.
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
