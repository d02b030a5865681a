// Reads a RequestMessage: its header, its items, and whether this server can do what the header asks for (specification 2.1 section 8).
import type { OperationName, Version } from '../operations/operation.ts';
import { Refusal } from '../refusal.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { type Structure, structure, TYPE } from '../ttlv/node.ts';
import { booleanOf, bytesOf, child, children, codeOf, integerOf, nameOf, required, structureOf, textOf } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';
import type { ErrorContinuation } from './batch.ts';
import { notARequest } from './outer.ts';

export interface BatchItem {
  /** Undefined for one that there is not. */
  readonly operation: OperationName | undefined;
  /** Of the operation, as the client wrote it: the answer repeats it. */
  readonly code: number;
  /** Why this item is not executed, whatever becomes of the others. */
  readonly refusal?: Refusal | undefined;
  readonly id: Uint8Array | undefined;
  readonly payload: Structure;
}

export interface RequestHeader {
  readonly version: Version;
  /** Bytes of the binary encoding; undefined: any size. */
  readonly maximumResponseSize: number | undefined;
  readonly clientCorrelationValue: string | undefined;
  readonly onError: ErrorContinuation;
  readonly batchCount: number;
  /** The client will have no other than asynchronous answers. */
  readonly asynchronous: boolean;
}

/** Newest first, as DiscoverVersions answers them. */
export const VERSIONS: readonly Version[] = [
  { major: 2, minor: 1 },
  { major: 2, minor: 0 },
  { major: 1, minor: 4 },
  { major: 1, minor: 3 },
  { major: 1, minor: 2 },
  { major: 1, minor: 1 },
  { major: 1, minor: 0 },
];

const MOST_ITEMS = 1_000;

const OPERATION_NAMES: ReadonlyMap<number, OperationName> = new Map(Object.entries(ENUM.Operation).map(([name, code]) => [code, name as OperationName]));

/** The version of a message as far as it can be told; the answer to a broken message is written in it. */
export function versionOf(message: Structure): Version | undefined {
  const header = child(message, TAG.RequestHeader);
  const version = header?.type === TYPE.Structure ? child(header, TAG.ProtocolVersion) : undefined;
  if (version?.type !== TYPE.Structure) return undefined;
  const major = child(version, TAG.ProtocolVersionMajor)?.value;
  const minor = child(version, TAG.ProtocolVersionMinor)?.value;
  return VERSIONS.find((each) => each.major === major && each.minor === minor);
}

/** @throws Refusal InvalidMessage */
export function readHeader(message: Structure): RequestHeader {
  if (message.tag !== TAG.RequestMessage) throw notARequest(message.tag);
  const header = required(structureOf(message, TAG.RequestHeader), TAG.RequestHeader);
  const asked = required(structureOf(header, TAG.ProtocolVersion), TAG.ProtocolVersion);
  const major = required(integerOf(asked, TAG.ProtocolVersionMajor), TAG.ProtocolVersionMajor);
  const minor = required(integerOf(asked, TAG.ProtocolVersionMinor), TAG.ProtocolVersionMinor);
  const version = VERSIONS.find((each) => each.major === major && each.minor === minor);
  if (!version) throw new Refusal('InvalidMessage', `KMIP ${major}.${minor} is not supported; 1.0 to 1.4, 2.0 and 2.1 are`);
  const maximumResponseSize = integerOf(header, TAG.MaximumResponseSize);
  return {
    version,
    maximumResponseSize,
    clientCorrelationValue: textOf(header, TAG.ClientCorrelationValue),
    onError: onErrorOf(header),
    batchCount: required(integerOf(header, TAG.BatchCount), TAG.BatchCount),
    asynchronous: isAsynchronous(header, version),
  };
}

/** A Boolean until 1.4, an enumeration since 2.0. */
function isAsynchronous(header: Structure, version: Version): boolean {
  const node = child(header, TAG.AsynchronousIndicator);
  return version.major === 1 ? node?.value === true : node?.value === ENUM.AsynchronousIndicator.Mandatory;
}

function onErrorOf(header: Structure): ErrorContinuation {
  const code = codeOf(header, TAG.BatchErrorContinuationOption);
  return code === undefined ? 'Stop' : nameOf('BatchErrorContinuationOption', code);
}

/** @throws Refusal InvalidMessage where count and items differ, or an item is malformed */
export function readItems(message: Structure, { batchCount, asynchronous }: RequestHeader): BatchItem[] {
  const items = children(message, TAG.BatchItem);
  if (items.length !== batchCount) throw new Refusal('InvalidMessage', `BatchCount is ${batchCount}, there are ${items.length} batch items`);
  if (items.length === 0) throw new Refusal('InvalidMessage', 'a message has at least one BatchItem');
  if (items.length > MOST_ITEMS) throw new Refusal('InvalidMessage', `a message has at most ${MOST_ITEMS} batch items`);
  return items.map((item) => {
    if (item.type !== TYPE.Structure) throw new Refusal('InvalidMessage', 'BatchItem is not a structure');
    return readItem(item, asynchronous);
  });
}

function readItem(item: Structure, asynchronous: boolean): BatchItem {
  const code = required(codeOf(item, TAG.Operation), TAG.Operation);
  const operation = OPERATION_NAMES.get(code);
  return {
    operation,
    code,
    refusal: operation === undefined ? unknownOperation(code) : refusalOf(item, asynchronous),
    id: bytesOf(item, TAG.UniqueBatchItemID),
    payload: structureOf(item, TAG.RequestPayload) ?? structure(TAG.RequestPayload, []),
  };
}

function unknownOperation(code: number): Refusal {
  return new Refusal('OperationNotSupported', `there is no operation 0x${code.toString(16).padStart(8, '0')}`);
}

function refusalOf(item: Structure, asynchronous: boolean): Refusal | undefined {
  if (asynchronous) return new Refusal('OperationNotSupported', 'asynchronous operations are not supported');
  const isCritical = children(item, TAG.MessageExtension).some((each) => each.type === TYPE.Structure && booleanOf(each, TAG.CriticalityIndicator));
  return isCritical ? new Refusal('FeatureNotSupported', 'the message has a critical extension that is not known here') : undefined;
}
