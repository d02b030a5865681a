// A bounded cache whose entries are trusted only while the version counter they were read under is unchanged.

interface Cache<T> {
  get(id: string): T | undefined;
  /** Reads a row and keeps it, unless it was changed or deleted while it was read. */
  fill(id: string, read: () => Promise<T | undefined>): Promise<T | undefined>;
  delete(id: string): void;
}

interface Entry<T> {
  readonly value: T;
  readonly version: number;
}

/** @param size entries held, 0 for none; the least recently used goes first @param versionOf the counter of a value's owner */
export function createCache<T>(size: number, versionOf: (value: T) => number): Cache<T> {
  const entries = new Map<string, Entry<T>>();
  /** Deletions while a read is under way: what it read may be gone. */
  let deletions = 0;
  return {
    get(id) {
      const entry = entries.get(id);
      if (!entry) return undefined;
      entries.delete(id);
      if (versionOf(entry.value) !== entry.version) return undefined;
      entries.set(id, entry);
      return entry.value;
    },
    async fill(id, read) {
      const before = deletions;
      const first = await read();
      if (!first || size === 0) return first;
      // The counter is known only by the row's owner: it is noted, and the row read again under it.
      const version = versionOf(first);
      const value = await read();
      if (!value || deletions !== before || versionOf(value) !== version) return value;
      entries.set(id, { value, version });
      if (entries.size > size) entries.delete(entries.keys().next().value as string);
      return value;
    },
    delete(id) {
      deletions += 1;
      entries.delete(id);
    },
  };
}
