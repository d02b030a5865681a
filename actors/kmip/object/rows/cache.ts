// Objects and their grants in the memory of one thread, trusted only as long as nobody else has changed them.
import type { Reader } from '../../../../kernel/store/store.ts';
import type { Versions } from '../../../../kernel/versions.ts';
import { binarySize } from '../../../../kmip/ttlv/binary.ts';
import { type Node, type Structure, TYPE } from '../../../../kmip/ttlv/node.ts';
import type { Principal } from '../../api.ts';
import type { Grants } from '../grants.ts';
import { type DescriptionDraft, type Draft, hasContent, type ObjectDescription } from '../managed-object.ts';
import { objectCounter } from './counter.ts';
import { MAX_SMALL_CONTENT_BYTES } from './object-row.ts';
import type { ObjectRows, Stored } from './rows.ts';

/** An object with its grants, as far as it was read: its content may still be in the store. */
export interface Held<T extends ObjectDescription = ObjectDescription> extends Stored<T> {
  readonly grants: Grants;
}

interface Entry extends Held {
  /** Estimated bytes. */
  readonly size: number;
  readonly version: number;
  /** Whether the entry was used since it came or was last spared. */
  isUsed: boolean;
}

const SIZE = 10_000;
/** Limits the work for each new entry, even if all entries are in use. */
const MAX_SPARED = 64;
/** Bytes of all entries of a thread, and of one object without its grants. Users also store objects of many megabytes; those are read each time. */
const MAX_CACHE_BYTES = 67_108_864;
const MAX_OBJECT_BYTES = 524_288;
/** Bytes of the grants of one object: enough for as many as there can be. To read and check them for each use would take 100 ms. */
const MAX_GRANT_BYTES = 4_194_304;
/** Estimated bytes of a tree node in memory, without its value. */
const NODE_BYTES = 200;
/** Estimated bytes of a grant without its user and operations, and of each operation of a set, which many grants share. */
const GRANT_BYTES = 128;
const OPERATION_BYTES = 64;

/**
 * Reads an object with its grants from the store.
 * @param content whether the content will be used: if so, it is read as well, provided that it is small
 * @param caller the only one whose grants are wanted; undefined: those of all
 */
export async function readHeld(rows: ObjectRows, from: Reader, id: string, content: boolean, caller?: Principal): Promise<Held<DescriptionDraft> | undefined> {
  const stored = await (content ? rows.readSmall(from, id) : rows.describe(from, id));
  return stored && { ...stored, grants: await rows.grantsOf(from, stored.object, caller) };
}

/** As readHeld, with the content of any size. */
export async function readWhole(rows: ObjectRows, from: Reader, id: string, contentBytes: number, caller?: Principal): Promise<Held<Draft> | undefined> {
  const object = await rows.read(from, id);
  return object && { object, contentBytes, grants: await rows.grantsOf(from, object, caller) };
}

export class ObjectCache {
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  readonly #rows: ObjectRows;
  readonly #store: Reader;
  readonly #versions: Versions | undefined;
  readonly #size: number;
  readonly #admit: (id: string) => Promise<void>;

  /**
   * @param versions absent in a process of its own: then nothing is kept
   * @param size objects at most
   * @param admit called before an object is read; it throws for one that must not be read here
   */
  constructor(rows: ObjectRows, store: Reader, versions: Versions | undefined, size = SIZE, admit = async (_id: string): Promise<void> => {}) {
    this.#size = size;
    this.#admit = admit;
    this.#rows = rows;
    this.#store = store;
    this.#versions = versions;
  }

  /** The cached object, if it is still current; undefined means that it must be read. */
  peek(id: string): Held | undefined {
    const entry = this.#entries.get(id);
    if (!entry) return undefined;
    if (this.#versions?.read(objectCounter(id)) === entry.version) {
      entry.isUsed = true;
      return entry;
    }
    this.#drop(id);
    return undefined;
  }

  /** The object is there at once if it is cached. @param content whether the content will be used: if so, it is read as well, provided that it is small */
  get(id: string, content: boolean): Held | undefined | Promise<Held | undefined> {
    const held = this.peek(id);
    const isEnough = held && (!content || hasContent(held.object) || held.contentBytes > MAX_SMALL_CONTENT_BYTES);
    return isEnough ? held : this.#fill(id, content);
  }

  /** Reads the counter before the row, so that the next access notices a change in between. */
  async #fill(id: string, content: boolean): Promise<Held | undefined> {
    const version = this.#versions?.read(objectCounter(id));
    await this.#admit(id);
    const held = await readHeld(this.#rows, this.#store, id, content);
    if (!held || version === undefined || Number.isNaN(version)) return held;
    const [own, granted] = [objectBytes(held), grantBytes(held.grants)];
    if (own > MAX_OBJECT_BYTES || granted > MAX_GRANT_BYTES) return held;
    const size = own + granted;
    this.#drop(id);
    while (this.#entries.size >= this.#size || this.#bytes + size > MAX_CACHE_BYTES) this.#evict();
    this.#entries.set(id, { ...held, size, version, isUsed: false });
    this.#bytes += size;
    return held;
  }

  /** First in, first out, but entries used since get a second chance. Keys in use therefore survive any number of keys that are read once. */
  #evict(): void {
    let spared = 0;
    for (const [id, entry] of this.#entries) {
      if (!entry.isUsed || spared++ >= MAX_SPARED) return this.#drop(id);
      this.#entries.delete(id);
      entry.isUsed = false;
      this.#entries.set(id, entry);
    }
  }

  #drop(id: string): void {
    this.#bytes -= this.#entries.get(id)?.size ?? 0;
    this.#entries.delete(id);
  }
}

function objectBytes({ object }: Held): number {
  const content = hasContent(object) && object.content ? memoryOf(object.content) : 0;
  return content + memoryOf(object.attributes.toStructure());
}

/** Small fields take far more room as objects in memory than in their encoding. */
const memoryOf = (tree: Structure): number => binarySize(tree) + NODE_BYTES * nodesOf(tree);

function nodesOf(node: Node): number {
  return node.type === TYPE.Structure ? node.value.reduce((count, member) => count + nodesOf(member), 1) : 1;
}

function grantBytes(grants: Grants): number {
  let bytes = 0;
  for (const operations of new Set(grants.values())) bytes += OPERATION_BYTES * operations.size;
  for (const user of grants.keys()) bytes += GRANT_BYTES + 2 * user.length;
  return bytes;
}
