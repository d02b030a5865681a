// What an operation works with: the objects that its caller may reach, changes in transactions, and what the items of a batch share.
import type { Reader, Transaction } from '../../kernel/store/store.ts';
import type { OperationName } from '../../kmip/operation-name.ts';
import type { Structure } from '../../kmip/ttlv/node.ts';
import type { Version } from '../../kmip/version.ts';
import type { Principal } from './api.ts';
import type { Aside } from './aside.ts';
import type { BatchPairs } from './creation/pair-source.ts';
import type { Earlier } from './earlier.ts';
import type { DescriptionDraft, Draft, ManagedObject, ObjectDescription } from './object/managed-object.ts';
import type { CreationPolicy } from './policy/creation-policy.ts';
import type { Reach } from './rights.ts';
import type { KeyServer } from './server.ts';

/** What the items of one batch share (specification 2.1 section 6: ID placeholder; section 11.58 for the named ones). */
export interface Batch {
  /** Identifier of the last object that an item of this batch created or found. */
  placeholder: string | undefined;
  /** Identifiers of created objects, by the code of the UniqueIdentifier enumeration; undefined while there are none. */
  made: Map<number, string> | undefined;
  /** The objects that the current item may touch, if a ticket of DelegatedLogin restricts it; undefined for all. */
  reach?: Reach | undefined;
  /** Items that have succeeded, in their order; undefined where no later item can refer to them. */
  earlier?: Earlier[] | undefined;
  /** Bytes of Data that items have taken from earlier ones. */
  takenBytes?: number;
  /** An item has ended the batch: those after it are ignored, whatever is to happen after a failure. */
  isOver?: boolean;
}

/** The objects that a caller may reach. */
export interface Objects<T, D = unknown> {
  /**
   * The object with its content, as named by the payload: by its identifier, a JSON array of tags or a keyset address; if the payload has none, the ID
   * placeholder.
   * It is there at once if it is in memory.
   * @param right the operation that the caller wants to perform
   * @throws Refusal ObjectNotFound if there is no such object, or the caller may not know of it
   */
  use(payload: Structure, right: OperationName, tag?: number): T | Promise<T>;
  /** As use, by identifier. */
  byId(id: string, right: OperationName): T | Promise<T>;
  /** As use, without the content, which may be large: for callers that do not need it. */
  describe(payload: Structure, right: OperationName): D | Promise<D>;
  describeById(id: string, right: OperationName): D | Promise<D>;
}

export interface ObjectTransaction extends Objects<Draft, DescriptionDraft> {
  /**
   * @param kin objects created together with it, which may have the same Name @throws Refusal ObjectAlreadyExists, NonUniqueNameAttribute,
   * ServerLimitExceeded
   */
  insert(object: Draft, kin?: readonly string[]): Promise<void>;
  /** Inserts it with its audit row. @throws what insert throws */
  create(event: string, object: Draft): Promise<void>;
  /** Content that was not read stays as it is. @throws Refusal NonUniqueNameAttribute */
  update(object: DescriptionDraft): Promise<void>;
  /** As update, for an object that a client may have made larger. @throws Refusal ServerLimitExceeded if that exceeds the quota of its owner */
  resize(object: DescriptionDraft): Promise<void>;
  /** Puts a new object in the place of another of its owner. @throws what insert and resize throw */
  overwrite(object: Draft): Promise<void>;
  /** Follows a link by identifier; undefined also if the caller does not have the right. */
  findPermitted(id: string, right: OperationName): Promise<DescriptionDraft | undefined>;
  /** Reads by identifier, whatever the caller's rights. Clients can write links too, so a link alone must not permit changes to its target. */
  read(id: string): Promise<DescriptionDraft | undefined>;
  /** As read, with the content. */
  readWhole(id: string): Promise<Draft | undefined>;
  /** Identifiers of objects of the same owner that are stored or returned wrapped by this key. */
  findWrapped(key: DescriptionDraft): Promise<string[]>;
  /** Identifiers of objects that are stored or returned wrapped by what has this name. @param owner of the objects; undefined: whoever owns them @param most so many of them */
  wrappedBy(name: string, owner: string | undefined, most: number): Promise<string[]>;
  /** The other objects of its owner that are in the keyset of this object. */
  generations(member: DescriptionDraft): Promise<DescriptionDraft[]>;
  /** Gives everybody who may use `from` the same rights on `to`, which is new. */
  copyGrants(from: DescriptionDraft, to: Draft): Promise<void>;
  /** Deletes the row itself. */
  remove(id: string): Promise<void>;
  /** For rows that are no objects. */
  readonly tx: Transaction;
  /** Writes an audit row for the change, in the same transaction. */
  audit(event: string, target: string): Promise<void>;
}

export interface OperationContext extends Objects<ManagedObject, ObjectDescription> {
  readonly server: KeyServer;
  readonly caller: Principal;
  readonly version: Version;
  readonly batch: Batch;
  /** Reads rows as this batch sees them: including its own changes, if the whole batch is one transaction. */
  readonly reader: Reader;
  /** Seconds since the epoch, the same for a whole batch. */
  readonly now: number;
  /** Where an object of this type links to, whatever the caller's rights on it: the identifier alone permits nothing. Undefined if it does not. */
  linkOf(id: string, type: number, link: 'PublicKeyLink' | 'PrivateKeyLink'): Promise<string | undefined>;
  /** All generations of a keyset that may have encrypted or signed the data, newest first; a single object for a plain identifier. */
  candidates(payload: Structure, right: OperationName): Promise<readonly ManagedObject[]>;
  /** What the caller has told of its new objects. It is read once for a batch. @param from the transaction that the caller is in */
  policy(from?: Reader): Promise<CreationPolicy>;
  /** Replaces a part of the policy, with an audit row for the event. */
  setPolicy(event: string, part: keyof CreationPolicy['told'], list: Structure | undefined): Promise<void>;
  /** Runs long work, outside of `change`. */
  readonly aside: Aside;
  /** Only while the whole batch is one transaction: its key pairs that take long. */
  readonly pairs?: BatchPairs | undefined;
  /** Runs atomically and may run again, so the work must have no effects outside its transaction. */
  change<T>(work: (tx: ObjectTransaction) => Promise<T>): Promise<T>;
  /** Runs atomically what only creates objects: on PostgreSQL together with what others create at the same moment. */
  create(work: (tx: Pick<ObjectTransaction, 'create'>) => Promise<void>): Promise<void>;
}
