// Objects and their grants in the memory of one thread, trusted only while nobody else has changed them.
import type { Reader } from '../../../kernel/store/store.ts';
import type { Versions } from '../../../kernel/versions.ts';
import { binarySize } from '../ttlv/binary.ts';
import { type Grants, readGrants } from './grants.ts';
import type { Draft, ManagedObject } from './managed-object.ts';
import type { ObjectRows } from './rows.ts';

export interface Held<T extends ManagedObject = ManagedObject> {
  readonly object: T;
  readonly grants: Grants;
}

interface Entry extends Held {
  /** Bytes, roughly. */
  readonly size: number;
  readonly version: number;
}

/** The counter of an object in the shared memory. */
export const objectCounter = (id: string): string => `object:${id}`;

const SIZE = 10_000;
/** Bytes of all that one thread holds, and of one object: users store objects of many megabytes, which are read when they are asked for. */
const MOST_BYTES = 67_108_864;
const MOST_OBJECT = 262_144;
/** Of a grant, with its user and operations. */
const GRANT_BYTES = 256;

/** An object with its grants, from the store. */
export async function readHeld(rows: ObjectRows, from: Reader, id: string): Promise<Held<Draft> | undefined> {
  const object = await rows.read(from, id);
  return object && { object, grants: await readGrants(from, id) };
}

export class ObjectCache {
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  readonly #rows: ObjectRows;
  readonly #store: Reader;
  readonly #versions: Versions | undefined;

  /** @param versions absent where other processes may write the same rows: then nothing is kept */
  constructor(rows: ObjectRows, store: Reader, versions: Versions | undefined) {
    this.#rows = rows;
    this.#store = store;
    this.#versions = versions;
  }

  /** What is held and still true; undefined means that it has to be read. */
  peek(id: string): Held | undefined {
    const entry = this.#entries.get(id);
    if (!entry) return undefined;
    if (this.#versions?.read(objectCounter(id)) === entry.version) return entry;
    this.#drop(id);
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
    const size = sizeOf(held);
    if (size > MOST_OBJECT) return held;
    this.#drop(id);
    this.#entries.set(id, { ...held, size, version });
    this.#bytes += size;
    // In the order of arrival, not of use: the hot path writes nothing.
    while (this.#entries.size > SIZE || this.#bytes > MOST_BYTES) this.#drop(this.#entries.keys().next().value as string);
    return held;
  }

  /** After the commit of a change, before its answer. */
  bump(ids: Iterable<string>): void {
    for (const id of ids) {
      this.#drop(id);
      this.#versions?.bump(objectCounter(id));
    }
  }

  #drop(id: string): void {
    this.#bytes -= this.#entries.get(id)?.size ?? 0;
    this.#entries.delete(id);
  }
}

function sizeOf({ object: { content, attributes }, grants }: Held): number {
  return (content ? binarySize(content) : 0) + binarySize(attributes.toStructure()) + grants.size * GRANT_BYTES;
}
