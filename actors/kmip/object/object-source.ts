// Where objects lie: the database, or another place such as the tokens of an HSM. Each place is one source, and the router knows whose an identifier is.
import type { Transaction } from '../../../kernel/store/store.ts';
import type { ObjectType } from '../../../kmip/object-type.ts';
import type { Node } from '../../../kmip/ttlv/node.ts';
import type { OperationContext } from '../operation-context.ts';
import type { Held } from './cache.ts';
import type { IndexTerm } from './index-terms.ts';
import type { DescriptionDraft, Draft, ManagedObject, ObjectDescription } from './managed-object.ts';

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
  /** The caller's own, newest first; after them those that others have granted, newest first. */
  readonly ids: readonly string[];
  /** All that match, whatever the limit. */
  readonly total: number;
}

/** Reads objects by their identifier, with their grants. */
export interface ObjectReader<T extends D, D extends ObjectDescription> {
  /** @param content whether it is to be used: then a small one comes with the object */
  held(id: string, content: boolean): Promise<Held<D> | undefined>;
  /** With the content, however large. */
  readWhole(held: Held<D>): Promise<Held<T> | undefined>;
}

/** The objects of a source inside a transaction of the database, which may run again: nothing is written anywhere else in it. */
export interface ObjectWriter extends ObjectReader<Draft, DescriptionDraft> {
  /** The object alone, without its content. */
  describe(id: string): Promise<DescriptionDraft | undefined>;
  read(id: string): Promise<Draft | undefined>;
  /** @returns the terms of the index that it has @throws Refusal ObjectAlreadyExists */
  insert(object: Draft): Promise<readonly IndexTerm[]>;
  /** A content that was not read stays as it is. @returns the terms of the index that it had not before */
  update(object: DescriptionDraft): Promise<readonly IndexTerm[]>;
  remove(id: string): Promise<void>;
  /** Whoever may use the one may use the other, which is new and of this source. */
  copyGrants(from: DescriptionDraft, to: Draft): Promise<void>;
}

export interface ObjectSource extends ObjectReader<ManagedObject, ObjectDescription> {
  /** Identifiers that begin with it and `::` are of this source, unless a longer prefix fits. Empty: all that are of no other. */
  readonly prefix: string;
  /** For an object whose identifier nobody has chosen. @param replaced the identifier of the object that it replaces */
  newIdentifier(replaced?: string): string;
  /** Asked before anything is made. @throws Refusal where no such object can be made here */
  requirePlace(id: string, type: ObjectType): void;
  /** The message to the client if the source has no object of this name; undefined if the name may stand for tags or a keyset. */
  absence(name: string): string | undefined;
  within(tx: Transaction): ObjectWriter;
  /** Objects of the caller, and what others have granted. */
  find(ctx: OperationContext, search: Search): Promise<Found>;
  /** Called after a change of these objects is committed and before the response: drop them from the cache. */
  bump(ids: readonly string[]): void;
}
