// The result of an item that was executed later, as bytes: what its response would have said.
import type { ItemOutcome } from '../../../kmip/message/response.ts';
import type { ResultReason } from '../../../kmip/refusal.ts';
import { decodeBinary, encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, type Node, structure, text } from '../../../kmip/ttlv/node.ts';
import { codeOf, nameOf, required, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';

export type Result = Pick<ItemOutcome, 'status' | 'reason' | 'message' | 'payload'>;

/** In binary TTLV. The payload is in the form of the version in which it was asked for. */
export function encodeResult({ status, reason, message, payload }: Result): Uint8Array {
  const members: Node[] = [enumeration(TAG.ResultStatus, ENUM.ResultStatus[status])];
  if (reason !== undefined) members.push(enumeration(TAG.ResultReason, ENUM.ResultReason[reason]));
  if (message !== undefined) members.push(text(TAG.ResultMessage, message));
  if (payload) members.push(structure(TAG.ResponsePayload, payload));
  return encodeBinary(structure(TAG.BatchItem, members));
}

export function decodeResult(bytes: Uint8Array): Result {
  const item = decodeBinary(bytes);
  const reason = codeOf(item, TAG.ResultReason);
  const message = textOf(item, TAG.ResultMessage);
  const payload = structureOf(item, TAG.ResponsePayload)?.value;
  return {
    status: nameOf('ResultStatus', required(codeOf(item, TAG.ResultStatus), TAG.ResultStatus)),
    ...(reason !== undefined && { reason: nameOf('ResultReason', reason) }),
    ...(message !== undefined && { message }),
    ...(payload && { payload }),
  };
}

export const failed = (reason: ResultReason, message: string): Result => ({ status: 'OperationFailed', reason, message });

/** Of an item that no longer waited for its turn. */
export const CANCELED = failed('OperationCanceledByRequester', 'the operation was canceled before it began: nothing was done');
export const SKIPPED = failed('GeneralFailure', 'an earlier item of the batch failed, so the operation was not begun: nothing was done');
export const STOPPED_BEFORE = failed('GeneralFailure', 'the server was interrupted before the operation began: nothing was done; send it again');
export const STOPPED_WITHIN = failed(
  'GeneralFailure',
  'the server was interrupted while the operation ran: whether it was carried out is not known; look before you send it again',
);
export const TOO_OLD = failed('GeneralFailure', 'the server did not come to the operation in time: nothing was done; send it again');
export const ENDED_ACCOUNT = failed('PermissionDenied', 'the account that asked for the operation has ended: nothing was done');
export const ENDED_TICKET = failed('InvalidTicket', 'the ticket with which the operation was asked for has ended: nothing was done');
export const UNREADABLE = failed('GeneralFailure', 'the stored request cannot be read: nothing was done; send it again');
export const LARGE = failed('ResponseTooLarge', 'TOO_LARGE: the result is larger than what is kept for a Poll; ask for it without AsynchronousIndicator');
