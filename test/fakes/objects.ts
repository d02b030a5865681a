// An operation context over objects in memory: changes work on copies and are committed whole, as those of the store are.
import { randomUUID } from 'node:crypto';
import type { KmipArgs, Principal } from '../../actors/kmip/api.ts';
import { CorrelationRate } from '../../actors/kmip/message/correlation-rate.ts';
import { linkedTo } from '../../actors/kmip/object/create.ts';
import type { KeyKind } from '../../actors/kmip/object/key.ts';
import type { DescriptionDraft, Draft } from '../../actors/kmip/object/managed-object.ts';
import { ObjectRouter } from '../../actors/kmip/object/object-router.ts';
import type { ObjectSource } from '../../actors/kmip/object/object-source.ts';
import { NO_QUOTAS } from '../../actors/kmip/object/quota.ts';
import { ContentRoom } from '../../actors/kmip/object/rows/content-room.ts';
import { softwareKeys } from '../../actors/kmip/object/software-key/software-key.ts';
import { unconfiguredHsm } from '../../actors/kmip/object/unconfigured-hsm.ts';
import type { ObjectTransaction, OperationContext } from '../../actors/kmip/operation-context.ts';
import { OPERATIONS } from '../../actors/kmip/operations/index.ts';
import { type CreationPolicy, NO_POLICY } from '../../actors/kmip/policy/creation-policy.ts';
import type { Streams } from '../../actors/kmip/streams.ts';
import { SeededRandom } from '../../crypto/random.ts';
import type { Log } from '../../kernel/log/log-entry.ts';
import type { Transaction } from '../../kernel/store/store.ts';
import { AttributeSet } from '../../kmip/attribute/set.ts';
import type { ObjectType, State } from '../../kmip/object-type.ts';
import type { OperationName } from '../../kmip/operation-name.ts';
import { Refusal } from '../../kmip/refusal.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { type Node, type Structure, structure } from '../../kmip/ttlv/node.ts';
import { textOf } from '../../kmip/ttlv/read.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import type { Version } from '../../kmip/version.ts';

export const ALICE: Principal = { user: 'acme/alice', realm: 'acme', scheme: 'up', source: '192.0.2.1' };

const ARGS: KmipArgs = {
  vendorIdentification: 'cosmian',
  version: '0.0.0',
  jsonNames: 'profile',
  privilegedUsers: [],
  quotas: NO_QUOTAS,
  defaultUnwrapType: [],
  algorithms: [],
  maxSealsPerDataKey: 2 ** 28,
};

const unread = (): never => {
  throw new Error('objects in memory are read and written by the context itself');
};

/** Takes every new object. */
export const UNREAD: ObjectSource = {
  prefix: '',
  newIdentifier: () => randomUUID(),
  requirePlace() {},
  absence: () => undefined,
  held: unread,
  readWhole: unread,
  within: unread,
  find: unread,
};

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

export interface ObjectOptions {
  readonly type?: ObjectType;
  readonly state?: State;
  readonly owner?: string;
  readonly attributes?: readonly Node[];
  readonly content?: Structure;
}

/** An object that is Active and empty unless the options say otherwise. */
export function draft(id: string, options: ObjectOptions = {}): Draft {
  return {
    id,
    type: options.type ?? ENUM.ObjectType.SymmetricKey,
    owner: options.owner ?? ALICE.user,
    state: options.state ?? ENUM.State.Active,
    archived: false,
    attributes: AttributeSet.of(structure(TAG.Attributes, options.attributes ?? [])),
    content: options.content,
  };
}

const copied = (object: Draft): Draft => ({ ...object, attributes: object.attributes.copy() });

export interface ContextOptions {
  readonly args?: Partial<KmipArgs>;
  readonly caller?: Principal;
  readonly version?: Version;
  /** Seconds since the epoch. */
  readonly now?: number;
  readonly log?: Log;
  readonly streams?: Streams;
  /** Where new objects are made. */
  readonly main?: ObjectSource;
  /** Kinds of keys before those in software. */
  readonly keyKinds?: readonly KeyKind[];
}

/** Objects are found by their identifier or the ID placeholder, by their owner only. */
export class ObjectsInMemory implements OperationContext {
  readonly objects: Map<string, Draft>;
  /** `event target` of every committed audit row. */
  readonly audited: string[] = [];
  readonly server: OperationContext['server'];
  readonly caller: Principal;
  readonly version: Version;
  readonly batch: OperationContext['batch'] = { placeholder: undefined, made: new Map() };
  readonly now: number;
  readonly aside = <T>(work: () => Promise<T>): Promise<T> => work();
  #changes: Promise<unknown> = Promise.resolve();

  constructor(objects: readonly Draft[], options: ContextOptions = {}) {
    this.objects = new Map(objects.map((object) => [object.id, object]));
    this.caller = options.caller ?? ALICE;
    this.version = options.version ?? { major: 2, minor: 1 };
    const now = options.now ?? 1_700_000_000;
    this.now = now;
    this.server = {
      operations: OPERATIONS,
      args: { ...ARGS, ...options.args },
      log: options.log ?? SILENT,
      requestId: () => undefined,
      now: () => now * 1000,
      monotonic: () => now * 1000,
      get store(): never {
        throw new Error('objects in memory have no store');
      },
      get rows(): never {
        throw new Error('objects in memory have no rows');
      },
      objects: new ObjectRouter(options.main ?? UNREAD, [unconfiguredHsm]),
      room: new ContentRoom(() => undefined),
      keyKinds: [...(options.keyKinds ?? []), softwareKeys],
      get streams(): Streams {
        if (!options.streams) throw new Error('this context has no streams');
        return options.streams;
      },
      random: new SeededRandom(),
      aside: (work) => work(),
      correlations: new CorrelationRate(),
      get asynchronous(): never {
        throw new Error('objects in memory are used at once');
      },
    };
  }

  get reader(): never {
    throw new Error('objects in memory have no rows');
  }

  async use(payload: Structure, right: OperationName, tag: number = TAG.UniqueIdentifier): Promise<Draft> {
    return this.#find(this.objects, textOf(payload, tag) ?? this.batch.placeholder, right);
  }

  async byId(id: string, right: OperationName): Promise<Draft> {
    return this.#find(this.objects, id, right);
  }

  describe(payload: Structure, right: OperationName): Promise<Draft> {
    return this.use(payload, right);
  }

  describeById(id: string, right: OperationName): Promise<Draft> {
    return this.byId(id, right);
  }

  async candidates(payload: Structure, right: OperationName): Promise<readonly Draft[]> {
    return [await this.use(payload, right)];
  }

  async linkOf(id: string, type: number, link: 'PublicKeyLink' | 'PrivateKeyLink'): Promise<string | undefined> {
    const found = this.objects.get(id);
    return found?.type === type ? linkedTo(found, link) : undefined;
  }

  async policy(): Promise<CreationPolicy> {
    return NO_POLICY;
  }

  setPolicy(): never {
    throw new Error('objects in memory have no rows');
  }

  /** One after the other, as transactions are. */
  change<T>(work: (tx: ObjectTransaction) => Promise<T>): Promise<T> {
    const result = this.#changes.then(() => this.#change(work));
    this.#changes = result.catch(() => {});
    return result;
  }

  create(work: (tx: Pick<ObjectTransaction, 'create'>) => Promise<void>): Promise<void> {
    return this.change(work);
  }

  async #change<T>(work: (tx: ObjectTransaction) => Promise<T>): Promise<T> {
    const changed = new Map([...this.objects].map(([id, object]) => [id, copied(object)]));
    const written = new Map<string, Draft | undefined>();
    const audited: string[] = [];
    const write = async (object: DescriptionDraft) => void written.set(object.id, copied(object as Draft));
    const result = await work({
      use: async (payload, right, tag = TAG.UniqueIdentifier) => this.#find(changed, textOf(payload, tag) ?? this.batch.placeholder, right),
      byId: async (id, right) => this.#find(changed, id, right),
      describe: async (payload, right) => this.#find(changed, textOf(payload, TAG.UniqueIdentifier) ?? this.batch.placeholder, right),
      describeById: async (id, right) => this.#find(changed, id, right),
      findPermitted: async (id) => (changed.get(id)?.owner === this.caller.user ? changed.get(id) : undefined),
      read: async (id) => changed.get(id),
      readWhole: async (id) => changed.get(id),
      insert: write,
      async create(event, object) {
        await write(object);
        audited.push(`${event} ${object.id}`);
      },
      update: write,
      resize: write,
      overwrite: write,
      remove: async (id) => void written.set(id, undefined),
      findWrapped: async () => [],
      wrappedBy: async () => [],
      generations: async () => [],
      copyGrants: async () => {},
      audit: async (event, target) => void audited.push(`${event} ${target}`),
      get tx(): Transaction {
        throw new Error('rows that are no objects need a real store');
      },
    });
    for (const [id, object] of written)
      if (object) this.objects.set(id, object);
      else this.objects.delete(id);
    this.audited.push(...audited);
    return result;
  }

  #find(objects: ReadonlyMap<string, Draft>, id: string | undefined, right: OperationName): Draft {
    const found = id === undefined ? undefined : objects.get(id);
    if (!found || found.owner !== this.caller.user)
      throw new Refusal('ObjectNotFound', `${right}: object not found for identifier ${id ?? 'of the placeholder'}`);
    return found;
  }
}
