// A cache with a limit in bytes, which keeps as text what was not used lately. An entry is valid only while the version counter of its owner is unchanged.
import { type Linked, Ring } from '../../kernel/ring.ts';

interface Kept<T> {
  readonly value: T;
  readonly version: number;
  readonly bytes: number;
}

interface Entry<T> extends Kept<T>, Linked {
  readonly id: string;
}

/** How values that were not used lately are kept. */
export interface Packing<T> {
  /** So many values are kept as they are. */
  readonly unpacked: number;
  pack(value: T): string;
  unpack(id: string, text: string): T;
}

/** One value may take at most 1/64 of the cache, so that a few large values do not displace all others. */
const MAX_PART_OF_ALL = 64;
/** Upper bound of the memory for a packed value beside its text: the text's header, the entry, its place in the map, the identifier. */
const PACKED_BYTES = 256;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that take one byte.
const NARROW = /^[\x00-\xff]*$/;

export class Cache<T> {
  readonly #maxBytes: number;
  readonly #bytesOf: (value: T) => number;
  readonly #versionOf: (value: T) => number;
  readonly #packing: Packing<T> | undefined;
  /** All of them were used after those that are packed. */
  readonly #entries = new Map<string, Entry<T>>();
  /** The same, in the order of their last use. */
  readonly #used = new Ring<Entry<T>>();
  /** In the order in which they were packed. */
  readonly #packed = new Map<string, Kept<string>>();
  #held = 0;
  /** Counts deletions: if one happens during a read, the value that was read may be gone. */
  #deletions = 0;

  /**
   * @param maxBytes size of the cache, 0 for none; the least recently used entry is dropped first
   * @param bytesOf upper bound of the memory for a value
   * @param versionOf version counter of a value's owner
   * @param packing without it all values are kept as they are
   */
  constructor(maxBytes: number, bytesOf: (value: T) => number, versionOf: (value: T) => number, packing?: Packing<T>) {
    this.#maxBytes = maxBytes;
    this.#bytesOf = bytesOf;
    this.#versionOf = versionOf;
    this.#packing = packing;
  }

  get(id: string): T | undefined {
    const entry = this.#entries.get(id);
    const kept = entry ?? this.#unpacked(id);
    if (!kept) return undefined;
    if (this.#versionOf(kept.value) !== kept.version) {
      this.#drop(id);
      return undefined;
    }
    if (entry) this.#used.push(entry);
    else this.#put(id, kept);
    return kept.value;
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
    this.#put(id, { value, version, bytes: this.#bytesOf(value) });
    return value;
  }

  delete(id: string): void {
    this.#deletions += 1;
    this.#drop(id);
  }

  #unpacked(id: string): Kept<T> | undefined {
    const packed = this.#packed.get(id);
    if (!packed || !this.#packing) return undefined;
    const value = this.#packing.unpack(id, packed.value);
    return { value, version: packed.version, bytes: this.#bytesOf(value) };
  }

  #put(id: string, { value, version, bytes }: Kept<T>): void {
    this.#drop(id);
    const entry: Entry<T> = { value, version, bytes, id, before: undefined, after: undefined };
    this.#entries.set(id, entry);
    this.#used.push(entry);
    this.#held += bytes;
    if (this.#packing && this.#entries.size > this.#packing.unpacked) this.#pack(this.#packing);
    while (this.#held > this.#maxBytes) this.#drop((this.#packed.keys().next().value ?? this.#used.oldest?.id) as string);
  }

  /** Packs the value that was not used for the longest time. */
  #pack(packing: Packing<T>): void {
    const { id, value, version } = this.#used.oldest as Entry<T>;
    this.#drop(id);
    const text = packing.pack(value);
    const bytes = PACKED_BYTES + (NARROW.test(text) ? 1 : 2) * text.length;
    this.#packed.set(id, { value: text, version, bytes });
    this.#held += bytes;
  }

  #drop(id: string): void {
    const entry = this.#entries.get(id);
    this.#held -= (entry?.bytes ?? 0) + (this.#packed.get(id)?.bytes ?? 0);
    if (entry) this.#used.drop(entry);
    this.#entries.delete(id);
    this.#packed.delete(id);
  }
}
