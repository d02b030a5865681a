// Writes a ResponseMessage: outcomes in the order of the items, in the version of the request (specification 2.1 section 8).
import { randomUUID } from 'node:crypto';
import type { Version } from '../operations/operation.ts';
import type { ResultReason } from '../refusal.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { bytes, dateTime, enumeration, integer, type Node, type Structure, structure, text } from '../ttlv/node.ts';
import { enumerationValueExists } from '../ttlv/since.ts';
import { TAG } from '../ttlv/tag.ts';
import type { Outcome } from './batch.ts';

export interface ResponseHead {
  readonly version: Version;
  /** Seconds since the epoch. */
  readonly now: number;
  /** Whether the request had a ClientCorrelationValue. */
  readonly correlated?: boolean;
}

export function responseMessage(head: ResponseHead, outcomes: readonly Outcome[]): Structure {
  return structure(TAG.ResponseMessage, [header(head, outcomes.length), ...outcomes.map((outcome) => batchItem(outcome, head.version))]);
}

/** The answer to what is no message that could be executed: one item, of no operation. */
export function failedMessage(head: ResponseHead, reason: ResultReason, message: string): Structure {
  return structure(TAG.ResponseMessage, [header(head, 1), structure(TAG.BatchItem, result('OperationFailed', head.version, reason, message))]);
}

function header({ version, now, correlated = false }: ResponseHead, count: number): Structure {
  const members: Node[] = [
    structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, version.major), integer(TAG.ProtocolVersionMinor, version.minor)]),
    dateTime(TAG.TimeStamp, now),
  ];
  if (hasCorrelationValue(version, correlated)) members.push(text(TAG.ServerCorrelationValue, randomUUID()));
  members.push(integer(TAG.BatchCount, count));
  return structure(TAG.ResponseHeader, members);
}

/** It is optional, and came with 1.4: clients of 1.4 and 2.0 are about that cannot read it, PyKMIP for one, so it is for those that send one themselves. */
function hasCorrelationValue({ major, minor }: Version, correlated: boolean): boolean {
  if (major === 2 && minor >= 1) return true;
  return correlated && (major > 1 || minor >= 4);
}

function batchItem({ item, status, reason, message, payload }: Outcome, version: Version): Structure {
  const members: Node[] = [enumeration(TAG.Operation, item.code)];
  if (item.id) members.push(bytes(TAG.UniqueBatchItemID, item.id));
  members.push(...result(status, version, reason, message));
  if (payload) members.push(structure(TAG.ResponsePayload, payload));
  return structure(TAG.BatchItem, members);
}

function result(status: Outcome['status'], version: Version, reason: ResultReason | undefined, message: string | undefined): Node[] {
  const members: Node[] = [enumeration(TAG.ResultStatus, ENUM.ResultStatus[status])];
  if (reason !== undefined) members.push(enumeration(TAG.ResultReason, ENUM.ResultReason[reasonIn(reason, version)]));
  if (message !== undefined) members.push(text(TAG.ResultMessage, message));
  return members;
}

/** What older versions have no code for, they are told by what their own tables of errors have for the case (specification 1.4 section 11). */
const OLDER: Readonly<Partial<Record<ResultReason, ResultReason>>> = {
  AttributeInstanceNotFound: 'ItemNotFound',
  AttributeNotFound: 'ItemNotFound',
  AttributeReadOnly: 'PermissionDenied',
  AttributeSingleValued: 'IllegalOperation',
  BadPassword: 'InvalidField',
  BadCryptographicParameters: 'InvalidField',
  EncodingOptionError: 'InvalidField',
  IllegalObjectType: 'IllegalOperation',
  IncompatibleCryptographicUsageMask: 'PermissionDenied',
  InvalidAttribute: 'InvalidField',
  InvalidAttributeValue: 'InvalidField',
  InvalidCSR: 'InvalidField',
  InvalidCorrelationValue: 'ItemNotFound',
  InvalidDataType: 'InvalidField',
  InvalidObjectType: 'PermissionDenied',
  KeyWrapTypeNotSupported: 'FeatureNotSupported',
  MissingInitializationVector: 'CryptographicFailure',
  NonUniqueNameAttribute: 'InvalidField',
  NotExtractable: 'PermissionDenied',
  ObjectAlreadyExists: 'InvalidField',
  ObjectDestroyed: 'ItemNotFound',
  ObjectNotFound: 'ItemNotFound',
  Sensitive: 'PermissionDenied',
  ServerLimitExceeded: 'IndexOutOfBounds',
  UnsupportedCryptographicParameters: 'CryptographicFailure',
  UsageLimitExceeded: 'PermissionDenied',
  WrappingObjectArchived: 'ObjectArchived',
  WrappingObjectDestroyed: 'ItemNotFound',
  WrappingObjectNotFound: 'ItemNotFound',
  WrongKeyLifecycleState: 'PermissionDenied',
};

function reasonIn(reason: ResultReason, version: Version): ResultReason {
  if (enumerationValueExists('ResultReason', ENUM.ResultReason[reason], version)) return reason;
  const older = OLDER[reason];
  return older !== undefined && enumerationValueExists('ResultReason', ENUM.ResultReason[older], version) ? older : 'GeneralFailure';
}
