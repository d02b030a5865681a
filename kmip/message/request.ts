// Reads the header and items of a RequestMessage, and refuses what this server does not support (specification 2.1 section 8).
import type { OperationName } from '../operation-name.ts';
import { Refusal } from '../refusal.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { type Structure, structure, TYPE } from '../ttlv/node.ts';
import { booleanOf, bytesOf, child, children, codeOf, integerOf, nameOf, required, structureOf, textOf } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';
import { VERSIONS, type Version } from '../version.ts';
import { credentialsIn, type HeaderCredential } from './header-credentials.ts';
import { checkHeader, checkItem, checkMessage } from './message-members.ts';
import { notARequest } from './outer.ts';

export interface BatchItem {
  /** Undefined if no operation has this code. */
  readonly operation: OperationName | undefined;
  /** The code of the operation as the client sent it; the response repeats it. */
  readonly code: number;
  /** Why this item cannot be executed, regardless of the other items. */
  readonly refusal?: Refusal | undefined;
  readonly id: Uint8Array | undefined;
  readonly payload: Structure;
  /** The client does not want the Data in the response (specification 2.1 table 396), or in 3.0 nothing at all. */
  readonly ephemeral?: Ephemeral | undefined;
}

export interface RequestHeader {
  readonly version: Version;
  /** In bytes of the binary encoding; undefined means no limit. */
  readonly maximumResponseSize: number | undefined;
  readonly clientCorrelationValue: string | undefined;
  readonly onError: ErrorContinuation;
  /** Undefined in KMIP 3.0, which has no such field. */
  readonly batchCount: number | undefined;
  /** Undefined in most requests. */
  readonly credentials: readonly HeaderCredential[] | undefined;
  readonly asynchronous: AsynchronousIndicator;
}

const MAX_ITEMS = 1_000;

/** By their codes. */
export const OPERATION_NAMES: ReadonlyMap<number, OperationName> = new Map(Object.entries(ENUM.Operation).map(([name, code]) => [code, name as OperationName]));

/**
 * The version of the response to a malformed message: the version of the request or, if the server does not support it, the newest with the same major number.
 * @returns undefined if the message does not show its version
 */
export function versionOf(message: Structure): Version | undefined {
  const header = child(message, TAG.RequestHeader);
  const version = header?.type === TYPE.Structure ? child(header, TAG.ProtocolVersion) : undefined;
  if (version?.type !== TYPE.Structure) return undefined;
  const major = child(version, TAG.ProtocolVersionMajor)?.value;
  const minor = child(version, TAG.ProtocolVersionMinor)?.value;
  return VERSIONS.find((each) => each.major === major && each.minor === minor) ?? VERSIONS.find((each) => each.major === major);
}

/** @throws Refusal InvalidMessage, UnsupportedProtocolVersion */
export function readHeader(message: Structure): RequestHeader {
  if (message.tag !== TAG.RequestMessage) throw notARequest(message.tag);
  const header = required(structureOf(message, TAG.RequestHeader), TAG.RequestHeader);
  if (children(message, TAG.RequestHeader).length > 1) throw new Refusal('InvalidMessage', 'RequestMessage must have RequestHeader only once');
  const asked = required(structureOf(header, TAG.ProtocolVersion), TAG.ProtocolVersion);
  const major = required(integerOf(asked, TAG.ProtocolVersionMajor), TAG.ProtocolVersionMajor);
  const minor = required(integerOf(asked, TAG.ProtocolVersionMinor), TAG.ProtocolVersionMinor);
  const version = VERSIONS.find((each) => each.major === major && each.minor === minor);
  if (!version) throw new Refusal('UnsupportedProtocolVersion', `KMIP ${major}.${minor} is not supported; use 1.0 to 1.4, 2.0, 2.1 or 3.0`);
  // Not before: other versions may have other members.
  checkMessage(message, version);
  checkHeader(header, version);
  const maximumResponseSize = integerOf(header, TAG.MaximumResponseSize);
  if (maximumResponseSize !== undefined && maximumResponseSize < 0) throw new Refusal('InvalidMessage', 'MaximumResponseSize must not be negative');
  return {
    version,
    maximumResponseSize,
    clientCorrelationValue: textOf(header, TAG.ClientCorrelationValue),
    onError: onErrorOf(header),
    batchCount: batchCountIn(header, version),
    credentials: credentialsIn(header, version),
    asynchronous: asynchronousIn(header, version),
  };
}

/** Up to 1.4 a client can only permit asynchronous responses, by a Boolean (section 6.7 of 1.4). In 2.x it is taken as that. */
function asynchronousIn(header: Structure, version: Version): AsynchronousIndicator {
  const indicator = child(header, TAG.AsynchronousIndicator);
  if (indicator === undefined) return 'Prohibited';
  if (indicator.type !== TYPE.Enumeration) return indicator.value === true ? 'Optional' : 'Prohibited';
  if (version.major === 1) throw new Refusal('InvalidMessage', 'AsynchronousIndicator is Enumeration, not Boolean');
  return nameOf('AsynchronousIndicator', indicator.value);
}

/** KMIP 3.0 has none. Clients that send it all the same are held to it. */
function batchCountIn(header: Structure, { major }: Version): number | undefined {
  const count = integerOf(header, TAG.BatchCount);
  return major >= 3 ? count : required(count, TAG.BatchCount);
}

function onErrorOf(header: Structure): ErrorContinuation {
  const code = codeOf(header, TAG.BatchErrorContinuationOption);
  return code === undefined ? 'Stop' : nameOf('BatchErrorContinuationOption', code);
}

/** @throws Refusal InvalidMessage if BatchCount is not the number of items, or an item is malformed */
export function readItems(
  message: Structure,
  { version, batchCount }: Pick<RequestHeader, 'version'> & Partial<Pick<RequestHeader, 'batchCount'>>,
): BatchItem[] {
  const items = children(message, TAG.BatchItem);
  if (batchCount !== undefined && items.length !== batchCount)
    throw new Refusal('InvalidMessage', `BatchCount is ${batchCount}, but the message has ${items.length} batch items`);
  if (items.length === 0) throw new Refusal('InvalidMessage', 'a message must have at least one BatchItem');
  if (items.length > MAX_ITEMS) throw new Refusal('InvalidMessage', `a message must have at most ${MAX_ITEMS} batch items`);
  const structures = items.map((item) => {
    if (item.type !== TYPE.Structure) throw new Refusal('InvalidMessage', 'BatchItem must be a Structure');
    return item;
  });
  const read = structures.map((item) => readItem(item, version));
  return structures.some(isExtended) ? read.map((item) => ({ ...item, refusal: item.refusal ?? notUnderstood() })) : read;
}

/** This server understands no extension. If one is critical, nothing of the message is executed (1.4 sections 6.16 and 11.1, 2.1 section 9.16). */
const isExtended = (item: Structure): boolean =>
  children(item, TAG.MessageExtension).some((each) => each.type === TYPE.Structure && booleanOf(each, TAG.CriticalityIndicator));

const notUnderstood = (): Refusal => new Refusal('FeatureNotSupported', 'the message has a critical MessageExtension that this server does not know');

function readItem(item: Structure, version: Version): BatchItem {
  const code = required(codeOf(item, TAG.Operation), TAG.Operation);
  checkItem(item, version);
  const operation = OPERATION_NAMES.get(code);
  return {
    operation,
    code,
    refusal: operation === undefined ? unknownOperation(code) : undefined,
    id: bytesOf(item, TAG.UniqueBatchItemID),
    payload: structureOf(item, TAG.RequestPayload) ?? structure(TAG.RequestPayload, []),
    ephemeral: ephemeralIn(item),
  };
}

/** A Boolean in 2.x. @throws Refusal FeatureNotSupported for UniqueIdentifier of 3.0, whose draft leaves open whether it is hidden or alone is shown */
function ephemeralIn(item: Structure): Ephemeral | undefined {
  const member = child(item, TAG.Ephemeral);
  if (member?.type !== TYPE.Enumeration) return member?.value === true ? 'Data' : undefined;
  const name = nameOf('Ephemeral', member.value);
  if (name === 'UniqueIdentifier') throw new Refusal('FeatureNotSupported', 'Ephemeral UniqueIdentifier is not supported: use Data or Empty');
  return name;
}

function unknownOperation(code: number): Refusal {
  return new Refusal('OperationNotSupported', `there is no operation 0x${code.toString(16).padStart(8, '0')}`);
}

export type Ephemeral = Exclude<keyof typeof ENUM.Ephemeral, 'UniqueIdentifier'>;

/** Whether a response may, must or must not be asynchronous. */
export type AsynchronousIndicator = keyof typeof ENUM.AsynchronousIndicator;

export type ErrorContinuation = 'Continue' | 'Stop' | 'Undo';
