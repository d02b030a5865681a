// What an operation works with: the objects that its caller may reach, changes as transactions, and what the items of a batch share.
import type { Reader } from '../../kernel/store/store.ts';
import type { OperationName } from '../../kmip/operation-name.ts';
import type { Structure } from '../../kmip/ttlv/node.ts';
import type { Version } from '../../kmip/version.ts';
import type { Principal } from './api.ts';
import type { Aside } from './aside.ts';
import type { DescriptionDraft, Draft, ManagedObject, ObjectDescription } from './object/managed-object.ts';
import type { KeyServer } from './server.ts';

/** What the items of one batch share (specification 2.1 section 6: ID placeholder; section 11.58 for the named ones). */
export interface Batch {
  /** Identifier of the object that an item of this batch made or found last. */
  placeholder: string | undefined;
  /** Identifiers made by operation, under the codes of the UniqueIdentifier enumeration. */
  readonly made: Map<number, string>;
}

/** The objects that a caller may reach. */
export interface Objects<T, D = unknown> {
  /**
   * The object with its content, named by the payload: by its identifier, a JSON array of tags, a keyset address, or the ID placeholder where it is absent.
   * @param right the operation that the caller wants to do
   * @throws Refusal ObjectNotFound where there is none or the caller may not know of it
   */
  use(payload: Structure, right: OperationName, tag?: number): Promise<T>;
  /** The same by an identifier at hand. */
  byId(id: string, right: OperationName): Promise<T>;
  /** The same without its content, which may be large: for whatever does not use it. */
  describe(payload: Structure, right: OperationName): Promise<D>;
  describeById(id: string, right: OperationName): Promise<D>;
}

export interface ObjectTransaction extends Objects<Draft, DescriptionDraft> {
  /** @param kin what is made together with it, and may have the same Name @throws Refusal ObjectAlreadyExists, NonUniqueNameAttribute, ServerLimitExceeded */
  insert(object: Draft, kin?: readonly string[]): Promise<void>;
  /** A content that was not read stays as it is. @throws Refusal NonUniqueNameAttribute */
  update(object: DescriptionDraft): Promise<void>;
  /** The same for what a client may have made larger. @throws Refusal ServerLimitExceeded where its owner has no room for more */
  resize(object: DescriptionDraft): Promise<void>;
  /** By its identifier, for what a link leads to: undefined also where the caller may not do this with it. */
  findPermitted(id: string, right: OperationName): Promise<DescriptionDraft | undefined>;
  /** By its identifier, whatever the caller's rights. Clients write links too: what they lead to is not to be changed by that alone. */
  read(id: string): Promise<DescriptionDraft | undefined>;
  /** The same with its content. */
  readWhole(id: string): Promise<Draft | undefined>;
  /** Identifiers of objects of the same owner that are stored or given out wrapped by this key. */
  findWrapped(key: DescriptionDraft): Promise<string[]>;
  /** Whoever may use the one may use the other, which is new. */
  copyGrants(from: DescriptionDraft, to: Draft): Promise<void>;
  /** Takes the row away altogether. */
  remove(id: string): Promise<void>;
  /** An audit row of the change, in the same transaction. */
  audit(event: string, target: string): Promise<void>;
}

export interface OperationContext extends Objects<ManagedObject, ObjectDescription> {
  readonly server: KeyServer;
  readonly caller: Principal;
  readonly version: Version;
  readonly batch: Batch;
  /** Rows as this batch sees them: with its own changes, where the whole batch is one transaction. */
  readonly reader: Reader;
  /** Seconds since the epoch, the same for a whole batch. */
  readonly now: number;
  /** All generations of a keyset that may have made what is to be decrypted or verified, newest first; one for a plain identifier. */
  candidates(payload: Structure, right: OperationName): Promise<readonly ManagedObject[]>;
  /** Runs what takes long, outside of `change`. */
  readonly aside: Aside;
  /** Runs atomically and may run again, so the work must have no effects outside its transaction. */
  change<T>(work: (tx: ObjectTransaction) => Promise<T>): Promise<T>;
}
