// Finds objects for a caller by what a payload names them by, and holds the caller's rights against them.
import type { Reader } from '../../../kernel/store/store.ts';
import type { Principal } from '../api.ts';
import type { Batch, Objects, OperationContext, OperationName } from '../operations/operation.ts';
import { Refusal } from '../refusal.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { type Node, type Structure, TYPE } from '../ttlv/node.ts';
import { TAG } from '../ttlv/tag.ts';
import type { Held } from './cache.ts';
import { isGranted, isKnown } from './grants.ts';
import { identifierText, keysetAddress, keysetMembers, taggedObject } from './identifier.ts';
import { stateAt } from './lifecycle.ts';
import type { ManagedObject } from './managed-object.ts';

/** What is missing, or not the caller's to know of, is told by one reason for these operations and by another for all others. */
const OBJECT_NOT_FOUND: ReadonlySet<OperationName> = new Set([
  'Get',
  'Export',
  'GetAttributes',
  'GetAttributeList',
  'AddAttribute',
  'SetAttribute',
  'ModifyAttribute',
  'DeleteAttribute',
  'AdjustAttribute',
  'Activate',
  'Check',
  'Validate',
  'ObtainLease',
  'GetUsageAllocation',
  'Archive',
  'Recover',
] satisfies OperationName[]);

/** States of a generation that the name of its keyset alone does not stand for. */
const NOT_MEANT: ReadonlySet<number> = new Set([ENUM.State.PreActive, ENUM.State.Destroyed, ENUM.State.DestroyedCompromised]);

function absent(right: OperationName, name: string): Refusal {
  return new Refusal(OBJECT_NOT_FOUND.has(right) ? 'ObjectNotFound' : 'ItemNotFound', `object not found for identifier ${name}`);
}

/** Reads objects for a caller, from the cache or inside a transaction. */
export class Finder<T extends ManagedObject> implements Objects<T> {
  readonly #caller: Principal;
  readonly #batch: Batch;
  readonly #from: Reader;
  readonly #now: number;
  readonly #held: (id: string) => Promise<Held<T> | undefined>;

  /** @param now seconds since the epoch */
  constructor({ caller, batch, now }: Pick<OperationContext, 'caller' | 'batch' | 'now'>, from: Reader, held: (id: string) => Promise<Held<T> | undefined>) {
    this.#caller = caller;
    this.#batch = batch;
    this.#now = now;
    this.#from = from;
    this.#held = held;
  }

  async use(payload: Structure, right: OperationName, tag: number = TAG.UniqueIdentifier): Promise<T> {
    return this.byId(identifierText(payload, tag, this.#batch), right);
  }

  async byId(name: string, right: OperationName): Promise<T> {
    const held = await this.#held(name);
    if (held) return this.#permitted(held, right, name);
    const found = await this.#elsewhere(name, right);
    // A replacement may be there before its time, or be destroyed: then the one before it is meant. One that was revoked is still the
    // newest, or its revocation would bring the old ones back.
    const chosen = found.find((object) => !NOT_MEANT.has(stateAt(object, this.#now))) ?? found[0];
    if (!chosen) throw absent(right, name);
    return chosen;
  }

  async candidates(payload: Structure, right: OperationName): Promise<readonly T[]> {
    const name = identifierText(payload, TAG.UniqueIdentifier, this.#batch);
    const held = await this.#held(name);
    if (held) return [this.#permitted(held, right, name)];
    const found = await this.#elsewhere(name, right);
    if (found.length === 0) throw absent(right, name);
    return found;
  }

  #permitted({ object, grants }: Held<T>, right: OperationName, name: string): T {
    if (object.owner === this.#caller.user || isGranted(grants, this.#caller, right)) return object;
    // Metadata are for everybody who may do anything with the object.
    if ((right === 'GetAttributes' || right === 'GetAttributeList') && isKnown(grants, this.#caller)) return object;
    throw absent(right, name);
  }

  /** What no object has as its identifier: tags, and places in a keyset. */
  async #elsewhere(name: string, right: OperationName): Promise<T[]> {
    if (name.startsWith('hsm::')) throw new Refusal(OBJECT_NOT_FOUND.has(right) ? 'ObjectNotFound' : 'ItemNotFound', `${name} not found: No HSM is configured`);
    const ids = name.startsWith('[') ? await this.#tagged(name) : await this.#generations(name);
    const found: T[] = [];
    for (const id of ids) {
      const held = await this.#held(id);
      if (held) found.push(this.#permitted(held, right, name));
    }
    return found;
  }

  async #tagged(name: string): Promise<string[]> {
    const id = await taggedObject(this.#from, name, this.#caller);
    return id === undefined ? [] : [id];
  }

  async #generations(name: string): Promise<string[]> {
    const address = keysetAddress(name);
    const members = await keysetMembers(this.#from, address?.name ?? name, this.#caller);
    if (!address) return members;
    if (address.generation === 'latest') return members.slice(0, 1);
    if (address.generation === 'first') return members.slice(-1);
    for (const id of members) {
      const held = await this.#held(id);
      if (held && generationOf(held.object) === address.generation) return [id];
    }
    return [];
  }
}

/** 0 for an object that was never rotated. */
export function generationOf({ attributes }: ManagedObject): number {
  const node: Node | undefined = attributes.first(TAG.RotateGeneration);
  return node?.type === TYPE.Integer ? node.value : 0;
}
