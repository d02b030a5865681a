// A KMIP operation as a declaration: one file of operations/ holds everything that the server needs to know about it.
import type { PayloadMembers } from '../../kmip/message/payload-members.ts';
import type { OperationName } from '../../kmip/operation-name.ts';
import type { ResultReason } from '../../kmip/refusal.ts';
import type { Node, Structure } from '../../kmip/ttlv/node.ts';
import type { OperationContext } from './operation-context.ts';

/** An identifier in the answer of an operation that the next items of the batch may use. */
export interface LeftIdentifier {
  /** Of the member of the answer. */
  readonly tag: number;
  /** The value of the UniqueIdentifier enumeration by which a later item refers to the object; undefined if there is none. */
  readonly code?: number;
  /** The answer may name several, and leaves an identifier only if it names one. */
  readonly alone?: boolean;
}

export interface Operation {
  readonly name: OperationName;
  /** Of the request payload. A request with any other member is refused. */
  readonly members: PayloadMembers;
  /** What the items after it may use (specification 2.1 section 6). The ID placeholder then stands for the first of them. */
  readonly leaves?: readonly LeftIdentifier[];
  /**
   * The reason of the answer where the object is missing, or is not for the caller: ObjectNotFound unless it is given here.
   * Until 1.4 all have ItemNotFound. In 2.x the tables of errors of Certify and CreateSplitKey have no ObjectNotFound (2.1 sections
   * 6.1.6.1 and 6.1.10.1); of some others clients of other servers of 2.1 expect the older reason, as the vectors show.
   */
  readonly absentReason?: ResultReason;
  /** The event of the audit row for each object that it changes or gives away; undefined where it does neither. */
  readonly event?: `key.${string}`;
  /** @param request in the shape of KMIP 2.1, whatever version the client speaks @returns the members of the response payload @throws Refusal */
  run(request: Structure, ctx: OperationContext): Promise<readonly Node[]>;
}

/** The operations of a server by name. */
export type Operations = Readonly<Partial<Record<OperationName, Operation>>>;
