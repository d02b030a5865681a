// The context of one batch for one caller: reads objects from the cache, and makes changes in transactions.
import { andThen } from '../../kernel/at-once.ts';
import type { Reader, Store, TransactionOptions } from '../../kernel/store/store.ts';
import type { OperationName } from '../../kmip/operation-name.ts';
import type { Structure } from '../../kmip/ttlv/node.ts';
import type { Version } from '../../kmip/version.ts';
import type { Principal } from './api.ts';
import type { Aside } from './aside.ts';
import { Changes } from './changes.ts';
import { BatchPairs } from './creation/pair-source.ts';
import { discoverKey } from './message/discover.ts';
import { linkedTo } from './object/create.ts';
import { Finder } from './object/finding/finder.ts';
import type { ManagedObject, ObjectDescription } from './object/managed-object.ts';
import type { FoundIn, ObjectSource } from './object/object-source.ts';
import type { Held } from './object/rows/cache.ts';
import type { Opening } from './object/rows/content-room.ts';
import type { Batch, Objects, ObjectTransaction, OperationContext } from './operation-context.ts';
import { type CreationPolicy, readPolicy, writePolicy } from './policy/creation-policy.ts';
import { auditActor } from './principal.ts';
import type { KeyServer } from './server.ts';

/** Its finder reads from the context itself: closures for that would be made anew for each batch. */
export class BatchContext implements OperationContext, FoundIn<ManagedObject, ObjectDescription> {
  readonly server: KeyServer;
  readonly caller: Principal;
  readonly version: Version;
  readonly batch: Batch = { placeholder: undefined, made: undefined, reach: undefined, earlier: undefined, takenBytes: 0 };
  readonly now: number;
  /** The open contents of this call. */
  readonly opening: Opening;
  readonly #finder: Finder<ManagedObject, ObjectDescription>;
  #policy: CreationPolicy | undefined;
  /** Set while the whole batch is one transaction. */
  #whole: Changes | undefined;
  #pairs: BatchPairs | undefined;

  constructor(server: KeyServer, caller: Principal, version: Version) {
    this.server = server;
    this.caller = caller;
    this.version = version;
    this.now = Math.floor(server.now() / 1000);
    this.opening = server.room.begin(caller.user);
    this.#finder = new Finder<ManagedObject, ObjectDescription>(this, this);
  }

  get from(): Reader {
    return this.server.store;
  }

  held(id: string, content: boolean): ReturnType<ObjectSource['held']> {
    return this.server.objects.held(id, content);
  }

  async readWhole(held: Held): Promise<Held<ManagedObject> | undefined> {
    await this.opening.take(held.contentBytes);
    const whole = await this.server.objects.readWhole(held);
    this.opening.hold(whole?.object.content);
    return whole;
  }

  /** A batch in one transaction blocks all writers, so it must not also wait in a queue. */
  get aside(): Aside {
    return (work) => (this.#whole ? work() : this.server.aside(work));
  }

  get pairs(): BatchPairs | undefined {
    return this.#whole && this.#pairs;
  }

  get reader(): Reader {
    return this.#whole?.tx ?? this.server.store;
  }

  get #objects(): Objects<ManagedObject, ObjectDescription> & Pick<OperationContext, 'candidates'> {
    return this.#whole?.finder ?? this.#finder;
  }

  use(payload: Structure, right: OperationName, tag?: number): ManagedObject | Promise<ManagedObject> {
    return this.#objects.use(payload, right, tag);
  }

  byId(id: string, right: OperationName): ManagedObject | Promise<ManagedObject> {
    const discovered = this.caller.administers === undefined ? undefined : discoverKey(this, id);
    return andThen(discovered, () => this.#objects.byId(id, right));
  }

  describe(payload: Structure, right: OperationName): ObjectDescription | Promise<ObjectDescription> {
    return this.#objects.describe(payload, right);
  }

  describeById(id: string, right: OperationName): ObjectDescription | Promise<ObjectDescription> {
    const discovered = this.caller.administers === undefined ? undefined : discoverKey(this, id);
    return andThen(discovered, () => this.#objects.describeById(id, right));
  }

  candidates(payload: Structure, right: OperationName): Promise<readonly ManagedObject[]> {
    return this.#objects.candidates(payload, right);
  }

  async linkOf(id: string, type: number, link: 'PublicKeyLink' | 'PrivateKeyLink'): Promise<string | undefined> {
    const held = await this.held(this.server.objects.canonical(id), false);
    return held?.object.type === type ? linkedTo(held.object, link) : undefined;
  }

  async policy(from: Reader = this.reader): Promise<CreationPolicy> {
    this.#policy ??= await readPolicy(from, this.caller.user);
    return this.#policy;
  }

  async setPolicy(event: string, part: keyof CreationPolicy['told'], list: Structure | undefined): Promise<void> {
    await this.change(async ({ tx }) => {
      await writePolicy(tx, this.caller.user, part, list);
      await tx.audit({ event, outcome: 'success', ...auditActor(this.caller) });
    });
    this.#policy = undefined;
  }

  change<T>(work: (tx: ObjectTransaction) => Promise<T>): Promise<T> {
    return this.#change(work, undefined);
  }

  /** Quotas and names are checked after the rows are there: of two creations that exclude each other, each sees the other. */
  create(work: (tx: Pick<ObjectTransaction, 'create'>) => Promise<void>): Promise<void> {
    return this.#change(work, { together: true });
  }

  async #change<T>(work: (tx: ObjectTransaction) => Promise<T>, options: TransactionOptions | undefined): Promise<T> {
    if (this.#whole) return work(this.#whole);
    const { rows, store } = this.server;
    return rows.dataKey.retrying(store, () => store.transaction((tx) => work(new Changes(this, tx, this.opening)), options));
  }

  /** Runs all of the work, with its changes, as one transaction; `work` throws to undo it. */
  async runWhole<T>(store: Store, work: () => Promise<T>): Promise<T> {
    this.#pairs = new BatchPairs(this);
    for (;;) {
      try {
        return await this.#runOnce(store, work, this.#pairs);
      } catch (error) {
        if (!(await this.#pairs.make(error))) throw error;
      }
    }
  }

  async #runOnce<T>(store: Store, work: () => Promise<T>, pairs: BatchPairs): Promise<T> {
    try {
      const transaction = () =>
        store.transaction(async (tx) => {
          this.batch.placeholder = undefined;
          this.batch.made = undefined;
          this.batch.earlier &&= [];
          this.batch.takenBytes = 0;
          pairs.begin();
          this.#whole = new Changes(this, tx, this.opening);
          return work();
        });
      return await this.server.rows.dataKey.retrying(store, transaction);
    } finally {
      this.#whole = undefined;
    }
  }
}
