// Objects and their grants in the memory of one thread, trusted only while nobody else has changed them.
import type { Reader } from '../../../kernel/store/store.ts';
import type { Versions } from '../../../kernel/versions.ts';
import { type Grants, readGrants } from './grants.ts';
import type { Draft, ManagedObject } from './managed-object.ts';
import type { ObjectRows } from './rows.ts';

export interface Held<T extends ManagedObject = ManagedObject> {
  readonly object: T;
  readonly grants: Grants;
}

interface Entry extends Held {
  readonly version: number;
  /** Looked at since it came or was last spared. */
  isUsed: boolean;
}

/** The counter of an object in the shared memory. */
const objectCounter = (id: string): string => `object:${id}`;

const SIZE = 10_000;
/** For one that comes: the work for it is bounded, also where all are in use. */
const MOST_SPARED = 64;

/** An object with its grants, from the store. */
export async function readHeld(rows: ObjectRows, from: Reader, id: string): Promise<Held<Draft> | undefined> {
  const object = await rows.read(from, id);
  return object && { object, grants: await readGrants(from, id) };
}

export class ObjectCache {
  readonly #entries = new Map<string, Entry>();
  readonly #rows: ObjectRows;
  readonly #store: Reader;
  readonly #versions: Versions | undefined;
  readonly #size: number;

  /** @param versions absent where other processes may write the same rows: then nothing is kept @param size objects at most */
  constructor(rows: ObjectRows, store: Reader, versions: Versions | undefined, size = SIZE) {
    this.#size = size;
    this.#rows = rows;
    this.#store = store;
    this.#versions = versions;
  }

  /** What is held and still true; undefined means that it has to be read. */
  peek(id: string): Held | undefined {
    const entry = this.#entries.get(id);
    if (!entry) return undefined;
    if (this.#versions?.read(objectCounter(id)) === entry.version) {
      entry.isUsed = true;
      return entry;
    }
    this.#entries.delete(id);
    return undefined;
  }

  async get(id: string): Promise<Held | undefined> {
    return this.peek(id) ?? (await this.#fill(id));
  }

  /** The counter is noted before the row is read, so that a change in between is seen at the next look. */
  async #fill(id: string): Promise<Held | undefined> {
    const version = this.#versions?.read(objectCounter(id));
    const held = await readHeld(this.#rows, this.#store, id);
    if (!held || version === undefined) return held;
    if (this.#entries.size >= this.#size && !this.#entries.has(id)) this.#evict();
    this.#entries.set(id, { ...held, version, isUsed: false });
    return held;
  }

  /** In the order of arrival, but what was used since gets a second chance: keys in use outlast any number that are read once. */
  #evict(): void {
    let spared = 0;
    for (const [id, entry] of this.#entries) {
      this.#entries.delete(id);
      if (!entry.isUsed || spared++ >= MOST_SPARED) return;
      entry.isUsed = false;
      this.#entries.set(id, entry);
    }
  }

  /** After the commit of a change, before its answer. */
  bump(ids: Iterable<string>): void {
    for (const id of ids) {
      this.#entries.delete(id);
      this.#versions?.bump(objectCounter(id));
    }
  }
}
