// A managed object as the store holds it (KMIP specification 2.1 section 2).
import type { ENUM } from '../ttlv/enumeration.ts';
import type { Structure } from '../ttlv/node.ts';
import type { AttributeSet, ReadonlyAttributes } from './attributes.ts';

export type ObjectType = (typeof ENUM.ObjectType)[keyof typeof ENUM.ObjectType];
export type State = (typeof ENUM.State)[keyof typeof ENUM.State];

/** UniqueIdentifier, ObjectType and State are fields here and in no attribute set. */
export interface ManagedObject {
  readonly id: string;
  readonly type: ObjectType;
  /** Identity of the user who made it. */
  readonly owner: string;
  /** As stored; a date that has passed may have changed it since: see `stateAt`. */
  readonly state: State;
  readonly archived: boolean;
  readonly attributes: ReadonlyAttributes;
  /** The object itself, tagged by its kind: SymmetricKey, PrivateKey, Certificate...; undefined once it is destroyed. Secret. */
  readonly content: Structure | undefined;
}

/** An object that a transaction may change; nothing else sees it before the commit. */
export interface Draft extends ManagedObject {
  state: State;
  archived: boolean;
  owner: string;
  readonly attributes: AttributeSet;
  content: Structure | undefined;
}
