// The context of one batch for one caller: finds objects, holds rights against them, and runs changes as transactions.
import type { Reader, Store, Transaction } from '../../kernel/store/store.ts';
import type { Principal } from './api.ts';
import { type Held, readHeld } from './object/cache.ts';
import { isGranted, isKnown } from './object/grants.ts';
import { identifierText, keysetAddress, keysetMembers, taggedObject } from './object/identifier.ts';
import { wrappingTerm } from './object/index-terms.ts';
import type { Draft, ManagedObject } from './object/managed-object.ts';
import type { Batch, Objects, ObjectTransaction, OperationContext, OperationName, Version } from './operations/operation.ts';
import { Refusal } from './refusal.ts';
import type { KeyServer } from './server.ts';
import { type Node, type Structure, TYPE } from './ttlv/node.ts';
import { TAG } from './ttlv/tag.ts';

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

function absent(right: OperationName, name: string): Refusal {
  return new Refusal(OBJECT_NOT_FOUND.has(right) ? 'ObjectNotFound' : 'ItemNotFound', `object not found for identifier ${name}`);
}

/** Reads objects for a caller, from the cache or inside a transaction. */
class Finder<T extends ManagedObject> implements Objects<T> {
  readonly #caller: Principal;
  readonly #batch: Batch;
  readonly #from: Reader;
  readonly #held: (id: string) => Promise<Held<T> | undefined>;

  constructor(caller: Principal, batch: Batch, from: Reader, held: (id: string) => Promise<Held<T> | undefined>) {
    this.#caller = caller;
    this.#batch = batch;
    this.#from = from;
    this.#held = held;
  }

  async use(payload: Structure, right: OperationName, tag: number = TAG.UniqueIdentifier): Promise<T> {
    return this.byId(identifierText(payload, tag, this.#batch), right);
  }

  async byId(name: string, right: OperationName): Promise<T> {
    const held = await this.#held(name);
    if (held) return this.#permitted(held, right, name);
    const [first] = await this.#elsewhere(name, right);
    if (!first) throw absent(right, name);
    return first;
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

export class BatchContext implements OperationContext {
  readonly server: KeyServer;
  readonly caller: Principal;
  readonly version: Version;
  readonly batch: Batch = { placeholder: undefined, made: new Map() };
  readonly now: number;
  readonly #finder: Finder<ManagedObject>;
  /** Set where the whole batch is one transaction. */
  #whole: Changes | undefined;

  constructor(server: KeyServer, caller: Principal, version: Version) {
    this.server = server;
    this.caller = caller;
    this.version = version;
    this.now = Math.floor(server.now() / 1000);
    this.#finder = new Finder(caller, this.batch, server.store, (id) => server.cache.get(id));
  }

  get #objects(): Finder<ManagedObject> {
    return this.#whole?.finder ?? this.#finder;
  }

  use(payload: Structure, right: OperationName, tag?: number): Promise<ManagedObject> {
    return this.#objects.use(payload, right, tag);
  }

  byId(id: string, right: OperationName): Promise<ManagedObject> {
    return this.#objects.byId(id, right);
  }

  candidates(payload: Structure, right: OperationName): Promise<readonly ManagedObject[]> {
    return this.#objects.candidates(payload, right);
  }

  async change<T>(work: (tx: ObjectTransaction) => Promise<T>): Promise<T> {
    if (this.#whole) return work(this.#whole);
    let touched: ReadonlySet<string> = new Set();
    const result = await this.server.store.transaction(async (tx) => {
      const changes = new Changes(this, tx);
      touched = changes.touched;
      return work(changes);
    });
    this.server.cache.bump(touched);
    return result;
  }

  /** Runs all of the work as one transaction, changes inside it included; `work` throws to undo. */
  async whole<T>(store: Store, work: () => Promise<T>): Promise<T> {
    let touched: ReadonlySet<string> = new Set();
    try {
      const result = await store.transaction(async (tx) => {
        this.batch.placeholder = undefined;
        this.batch.made.clear();
        this.#whole = new Changes(this, tx);
        touched = this.#whole.touched;
        return work();
      });
      this.server.cache.bump(touched);
      return result;
    } finally {
      this.#whole = undefined;
    }
  }
}

/** What a transaction of the store is to an operation. */
class Changes implements ObjectTransaction {
  readonly touched = new Set<string>();
  readonly finder: Finder<Draft>;
  readonly tx: Transaction;
  readonly #ctx: BatchContext;

  constructor(ctx: BatchContext, tx: Transaction) {
    this.#ctx = ctx;
    this.tx = tx;
    this.finder = new Finder<Draft>(ctx.caller, ctx.batch, tx, (id) => readHeld(ctx.server.rows, tx, id));
  }

  use(payload: Structure, right: OperationName, tag?: number): Promise<Draft> {
    return this.finder.use(payload, right, tag);
  }

  byId(id: string, right: OperationName): Promise<Draft> {
    return this.finder.byId(id, right);
  }

  read(id: string): Promise<Draft | undefined> {
    return this.#ctx.server.rows.read(this.tx, id);
  }

  async wrappedBy(id: string): Promise<Draft[]> {
    const { tag, value } = wrappingTerm(id);
    const found = await this.tx.all<{ id: string }>('SELECT object_id AS id FROM kms_attribute WHERE tag = $1 AND value = $2', [tag, value]);
    return this.#ctx.server.rows.readAll(
      this.tx,
      found.map((row) => row.id),
    );
  }

  async insert(object: Draft): Promise<void> {
    this.touched.add(object.id);
    await this.#ctx.server.rows.insert(this.tx, object);
  }

  async update(object: Draft): Promise<void> {
    this.touched.add(object.id);
    await this.#ctx.server.rows.update(this.tx, object);
  }

  async remove(id: string): Promise<void> {
    this.touched.add(id);
    await this.#ctx.server.rows.remove(this.tx, id);
  }

  audit(event: string, target: string): Promise<void> {
    const { user, realm, scheme, source } = this.#ctx.caller;
    return this.tx.audit({ event, target, outcome: 'success', actor: user, realm, scheme, source });
  }
}
