// A KMIP operation as a declaration: one file of operations/ holds everything that the server needs to know about it.
import type { PayloadMembers } from '../../kmip/message/payload-members.ts';
import type { ItemOutcome } from '../../kmip/message/response.ts';
import type { OperationName } from '../../kmip/operation-name.ts';
import type { ResultReason } from '../../kmip/refusal.ts';
import type { Node, Structure } from '../../kmip/ttlv/node.ts';
import type { OperationContext } from './operation-context.ts';

/** An identifier in the response to an operation that the next items of the batch may use. */
export interface LeftIdentifier {
  /** Tag of the member of the response that holds the identifier. */
  readonly tag: number;
  /** The value of the UniqueIdentifier enumeration by which a later item refers to the object; undefined if there is none. */
  readonly code?: number;
  /** The response may contain several identifiers, and only a single one is passed on. */
  readonly alone?: boolean;
}

/** What is answered in place of a response of the operation itself: how another operation has ended. */
export class Relayed {
  /** `isFirst`: it was never told before, and is counted now. */
  readonly outcome: Omit<ItemOutcome, 'item'> & { readonly isFirst?: boolean };

  constructor(outcome: Relayed['outcome']) {
    this.outcome = outcome;
  }
}

export type Answered = readonly Node[] | Relayed;

export interface Operation {
  readonly name: OperationName;
  /** Members of the request payload. A request with any other member is refused. */
  readonly members: PayloadMembers;
  /** The identifiers for the next items of the batch (specification 2.1 section 6). The first of them becomes the ID placeholder. */
  readonly leaves?: readonly LeftIdentifier[];
  /**
   * The reason if the object is missing or the caller may not use it; ObjectNotFound by default. Until 1.4, all operations use
   * ItemNotFound. In 2.x, the error tables of Certify and CreateSplitKey lack ObjectNotFound (2.1 sections 6.1.6.1 and 6.1.10.1).
   * For some other operations, clients of other 2.1 servers expect the older reason, as the vectors show.
   */
  readonly absentReason?: ResultReason;
  /** The audit event for each object that the operation changes or returns; undefined if no audit row is written. */
  readonly event?: `key.${string}`;
  /** It speaks of asynchronous requests, and cannot be one. */
  readonly isImmediate?: boolean;
  /** Called before a payload is read that is not in a batch. Absent if every payload is read. @throws ELSEWHERE, WRITTEN_ELSEWHERE */
  unread?(): void;
  /** @param request in the form of KMIP 2.1, whatever version the client uses @returns the members of the response payload @throws Refusal */
  run(request: Structure, ctx: OperationContext): Answered | Promise<Answered>;
}

/** The operations of a server by name. */
export type Operations = Readonly<Partial<Record<OperationName, Operation>>>;
