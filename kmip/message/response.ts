// Writes a ResponseMessage, with the outcomes in the order of the items and in the version of the request (specification 2.1 section 8).
import type { ResultReason } from '../refusal.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { bytes, dateTime, enumeration, integer, type Node, type Structure, structure, text } from '../ttlv/node.ts';
import { TAG } from '../ttlv/tag.ts';
import type { Version } from '../version.ts';
import { reasonIn } from './reason.ts';
import type { BatchItem } from './request.ts';

/** The result of one item of a request. */
export interface ItemOutcome {
  readonly item: BatchItem;
  readonly status: keyof typeof ENUM.ResultStatus;
  readonly reason?: ResultReason;
  readonly message?: string;
  readonly payload?: readonly Node[];
  /** Of an operation that is pending. */
  readonly correlationValue?: Uint8Array;
  /** The operation that a Poll tells the result of: the response is that of this operation (specification 2.1 section 6.1.38). */
  readonly of?: Pick<BatchItem, 'operation' | 'code'>;
}

export interface ResponseHead {
  readonly version: Version;
  /** Seconds since the epoch. */
  readonly now: number;
  /** Whether the request had a ClientCorrelationValue. */
  readonly correlated?: boolean;
  /** As the log and the audit log have it. */
  readonly requestId?: string | undefined;
}

export function responseMessage(head: ResponseHead, outcomes: readonly ItemOutcome[]): Structure {
  return structure(TAG.ResponseMessage, [header(head, outcomes.length), ...outcomes.map((outcome) => batchItem(outcome, head.version))]);
}

/** The response to a message that cannot be executed: one item without an operation. */
export function failedMessage(head: ResponseHead, reason: ResultReason, message: string): Structure {
  return structure(TAG.ResponseMessage, [header(head, 1), structure(TAG.BatchItem, result('OperationFailed', reasonIn(reason, head.version), message))]);
}

function header({ version, now, correlated = false, requestId }: ResponseHead, count: number): Structure {
  const members: Node[] = [
    structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, version.major), integer(TAG.ProtocolVersionMinor, version.minor)]),
    dateTime(TAG.TimeStamp, now),
  ];
  if (requestId !== undefined && hasCorrelationValue(version, correlated)) members.push(text(TAG.ServerCorrelationValue, requestId));
  if (version.major < 3) members.push(integer(TAG.BatchCount, count));
  return structure(TAG.ResponseHeader, members);
}

/**
 * ServerCorrelationValue is optional and was new in 1.4. Some clients of 1.4 and 2.0, such as PyKMIP, cannot read it.
 * In these versions only clients that send a ClientCorrelationValue get one.
 */
function hasCorrelationValue({ major, minor }: Version, correlated: boolean): boolean {
  if (major > 2 || (major === 2 && minor >= 1)) return true;
  return correlated && (major > 1 || minor >= 4);
}

function batchItem({ item, status, reason, message, payload, correlationValue, of = item }: ItemOutcome, version: Version): Structure {
  const members: Node[] = [enumeration(TAG.Operation, of.code)];
  if (item.id) members.push(bytes(TAG.UniqueBatchItemID, item.id));
  members.push(...result(status, reason === undefined ? undefined : reasonIn(reason, version, of.operation), message));
  if (correlationValue) members.push(bytes(TAG.AsynchronousCorrelationValue, correlationValue));
  if (payload) members.push(structure(TAG.ResponsePayload, payload));
  return structure(TAG.BatchItem, members);
}

function result(status: ItemOutcome['status'], reason: ResultReason | undefined, message: string | undefined): Node[] {
  const members: Node[] = [enumeration(TAG.ResultStatus, ENUM.ResultStatus[status])];
  if (reason !== undefined) members.push(enumeration(TAG.ResultReason, ENUM.ResultReason[reason]));
  if (message !== undefined) members.push(text(TAG.ResultMessage, message));
  return members;
}
