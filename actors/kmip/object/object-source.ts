// The sources of objects: the database, or other places such as the tokens of an HSM; the router knows which source an identifier belongs to.
import type { Reader, Transaction } from '../../../kernel/store/store.ts';
import type { Along } from '../../../kernel/store/together.ts';
import type { ObjectType } from '../../../kmip/object-type.ts';
import type { Node } from '../../../kmip/ttlv/node.ts';
import type { Principal } from '../api.ts';
import type { OperationContext } from '../operation-context.ts';
import type { IndexTerm } from './index-terms.ts';
import type { KeyKeeper } from './key-keeper.ts';
import type { DescriptionDraft, Draft, ManagedObject, ObjectDescription } from './managed-object.ts';
import type { Held } from './rows/cache.ts';

export interface Search {
  readonly attributes: readonly Node[];
  /** StorageStatusMask. */
  readonly storage: number | undefined;
  /** ObjectGroupMember. */
  readonly groupMember: number | undefined;
  readonly offset: number;
  readonly limit: number;
}

export interface Found {
  /** First the caller's own, then those that others have granted, each newest first. */
  readonly ids: readonly string[];
  /** The number of all matches, whatever the limit; undefined if the limit is reached and there are too many to count. */
  readonly total: number | undefined;
}

/** Reads objects by their identifier, with their grants. */
export interface ObjectReader<T extends D, D extends ObjectDescription> {
  /** There at once if it is in memory. @param content whether the content will be used: if so, it is read as well, provided that it is small */
  held(id: string, content: boolean): Held<D> | undefined | Promise<Held<D> | undefined>;
  /** With the content, however large. */
  readWhole(held: Held<D>): Promise<Held<T> | undefined>;
}

/** What a finder reads from. */
export interface FoundIn<T extends D, D extends ObjectDescription> extends ObjectReader<T, D> {
  /** For lookups of tags and keysets. */
  readonly from: Reader;
}

/**
 * The objects of a source inside a database transaction. A transaction may run more than once, so its writers write
 * nowhere but to the database.
 */
export interface ObjectWriter extends ObjectReader<Draft, DescriptionDraft> {
  /** The object alone, without its content. */
  describe(id: string): Promise<DescriptionDraft | undefined>;
  read(id: string): Promise<Draft | undefined>;
  /** @returns the index terms of the object @throws Refusal ObjectAlreadyExists */
  /** @param along sends what needs the new row but not its answer */
  insert(object: Draft, along?: Along): Promise<readonly IndexTerm[]>;
  /** Content that was not read stays as it is. @returns the index terms that the object did not have before */
  update(object: DescriptionDraft): Promise<readonly IndexTerm[]>;
  remove(id: string): Promise<void>;
  /** Gives everybody who may use `from` the same rights on `to`, a new object of this source. */
  copyGrants(from: DescriptionDraft, to: Draft): Promise<void>;
}

export interface ObjectSource extends ObjectReader<ManagedObject, ObjectDescription> {
  /** Identifiers that begin with this prefix and `::` belong to this source, unless a longer prefix fits. Empty: all that belong to no other source. */
  readonly prefix: string;
  /** For an object whose identifier was not chosen by a client. @param replaced the identifier of the object that it replaces */
  newIdentifier(replaced?: string): string;
  /** Called before anything is created. @param isFound it is there already @throws Refusal if this source cannot hold such an object, or not for this caller */
  requirePlace(id: string, type: ObjectType, caller: Principal, isFound: boolean): void;
  /** The identifier in full, where it has a short form. */
  canonical?(id: string): string;
  /** Called before an object is used or searched for: takes in keys that others have made. @param id undefined for all */
  discover?(ctx: OperationContext, id: string | undefined): void | Promise<void>;
  /** Makes and keeps the keys of this source; undefined if they are stored with the objects. */
  readonly keeper?: KeyKeeper;
  /** The message to the client if the source has no object of this name; undefined if the name may stand for tags or a keyset. */
  absence(name: string): string | undefined;
  /** @param caller the only one whose grants are read with an object; undefined: those of all */
  within(tx: Transaction, caller?: Principal): ObjectWriter;
  /** Searches the caller's own objects and those that others have granted. */
  find(ctx: OperationContext, search: Search): Promise<Found>;
}
