// A managed object as the store holds it (KMIP specification 2.1 section 2).
import type { AttributeSet, ReadonlyAttributes } from '../../../kmip/attribute/set.ts';
import type { ObjectType, State } from '../../../kmip/object-type.ts';
import type { Structure } from '../../../kmip/ttlv/node.ts';

/** What is known of an object without its content. UniqueIdentifier, ObjectType and State are fields here and in no attribute set. */
export interface ObjectDescription {
  readonly id: string;
  readonly type: ObjectType;
  /** Identity of the user who made it. */
  readonly owner: string;
  /** As stored; a date that has passed may have changed it since: see `stateAt`. */
  readonly state: State;
  readonly archived: boolean;
  readonly attributes: ReadonlyAttributes;
}

export interface ManagedObject extends ObjectDescription {
  /** The object itself, tagged by its kind: SymmetricKey, PrivateKey, Certificate...; undefined once it is destroyed. Secret. */
  readonly content: Structure | undefined;
}

/** A description that a transaction may change. Written back without a content, it leaves the stored one as it is. */
export interface DescriptionDraft extends ObjectDescription {
  state: State;
  archived: boolean;
  owner: string;
  readonly attributes: AttributeSet;
}

/** An object that a transaction may change; nothing else sees it before the commit. */
export interface Draft extends DescriptionDraft {
  content: Structure | undefined;
}

/** Whether the content was read, or is known to be gone; otherwise it lies in the store. */
export function hasContent<D extends ObjectDescription>(object: D): object is D & Pick<Draft, 'content'> {
  return 'content' in object;
}
