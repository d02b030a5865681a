// A cache of bounded bytes whose entries are trusted only while the version counter they were read under is unchanged.

interface Cache<T> {
  get(id: string): T | undefined;
  /** Reads a row and keeps it, unless it was changed or deleted while it was read. */
  fill(id: string, read: () => Promise<T | undefined>): Promise<T | undefined>;
  delete(id: string): void;
}

interface Entry<T> {
  readonly value: T;
  readonly version: number;
  readonly bytes: number;
}

/** Part of the whole that one value may take: a few large ones are not to push all others out. */
const LARGEST_PART = 64;

/**
 * @param maxBytes held, 0 for none; the least recently used goes first
 * @param bytesOf memory that a value takes at most
 * @param versionOf the counter of a value's owner
 */
export function createCache<T>(maxBytes: number, bytesOf: (value: T) => number, versionOf: (value: T) => number): Cache<T> {
  const entries = new Map<string, Entry<T>>();
  let held = 0;
  const drop = (id: string) => {
    held -= entries.get(id)?.bytes ?? 0;
    entries.delete(id);
  };
  /** Deletions while a read is under way: what it read may be gone. */
  let deletions = 0;
  return {
    get(id) {
      const entry = entries.get(id);
      if (!entry) return undefined;
      if (versionOf(entry.value) !== entry.version) {
        drop(id);
        return undefined;
      }
      entries.delete(id);
      entries.set(id, entry);
      return entry.value;
    },
    async fill(id, read) {
      const before = deletions;
      const first = await read();
      if (!first || bytesOf(first) > maxBytes / LARGEST_PART) return first;
      // The counter is known only by the row's owner: it is noted, and the row read again under it.
      const version = versionOf(first);
      const value = await read();
      if (!value || deletions !== before || versionOf(value) !== version) return value;
      const bytes = bytesOf(value);
      drop(id);
      entries.set(id, { value, version, bytes });
      held += bytes;
      while (held > maxBytes) drop(entries.keys().next().value as string);
      return value;
    },
    delete(id) {
      deletions += 1;
      drop(id);
    },
  };
}
