// A managed object as the store keeps it (KMIP specification 2.1 section 2).
import type { AttributeSet, ReadonlyAttributes } from '../../../kmip/attribute/set.ts';
import type { ObjectType, State } from '../../../kmip/object-type.ts';
import type { Structure } from '../../../kmip/ttlv/node.ts';

/** An object without its content. UniqueIdentifier, ObjectType and State are fields here and are never in the attribute set. */
export interface ObjectDescription {
  readonly id: string;
  readonly type: ObjectType;
  /** Identity of the user who created it. */
  readonly owner: string;
  /** As stored; a date may have passed since: see `stateAt`. */
  readonly state: State;
  readonly archived: boolean;
  readonly attributes: ReadonlyAttributes;
}

export interface ManagedObject extends ObjectDescription {
  /** The object itself, tagged by its type: SymmetricKey, PrivateKey, Certificate...; undefined once it is destroyed. Secret. */
  readonly content: Structure | undefined;
}

/** A description that a transaction may change. If it is written back without content, the stored content stays as it is. */
export interface DescriptionDraft extends ObjectDescription {
  state: State;
  archived: boolean;
  owner: string;
  readonly attributes: AttributeSet;
}

/** An object that a transaction may change; nothing else sees it before the commit. */
export interface Draft extends DescriptionDraft {
  content: Structure | undefined;
  /** Only of a new object: the client chose its identifier. */
  readonly chosen?: true;
  /** Only of a new object: it was in its source before, where somebody else had made it; `instead` of what has its identifier, which is not there any more. */
  readonly found?: 'there' | 'instead';
}

/** Whether the content was read or is known to be destroyed; otherwise it is in the store. */
export function hasContent<D extends ObjectDescription>(object: D): object is D & Pick<Draft, 'content'> {
  return 'content' in object;
}
