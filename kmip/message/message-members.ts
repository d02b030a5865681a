// What a request, its header and its items may hold: each member is known, of its type, and mostly there once (specification 2.1 sections 8 and 9).
import { Refusal } from '../refusal.ts';
import { TYPE_NAMES } from '../ttlv/enumeration-of.ts';
import { tagName } from '../ttlv/names.ts';
import { type Structure, TYPE } from '../ttlv/node.ts';
import { booleanOf, required, structureOf, textOf } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';
import { payloadMembers, requireMembers } from './payload-members.ts';

interface Member {
  readonly type: number;
  /** In other versions. */
  readonly orType?: number;
  readonly many?: true;
}

const { Structure: STRUCTURE, Integer, Enumeration, Boolean: BOOLEAN, TextString, ByteString, DateTime } = TYPE;

const MESSAGE: ReadonlyMap<number, Member> = new Map<number, Member>([
  [TAG.RequestHeader, { type: STRUCTURE }],
  [TAG.BatchItem, { type: STRUCTURE, many: true }],
]);

const HEADER: ReadonlyMap<number, Member> = new Map<number, Member>([
  [TAG.ProtocolVersion, { type: STRUCTURE }],
  [TAG.MaximumResponseSize, { type: Integer }],
  [TAG.ClientCorrelationValue, { type: TextString }],
  [TAG.ServerCorrelationValue, { type: TextString }],
  [TAG.AsynchronousIndicator, { type: Enumeration, orType: BOOLEAN }],
  [TAG.AttestationCapableIndicator, { type: BOOLEAN }],
  [TAG.AttestationType, { type: Enumeration, many: true }],
  [TAG.Authentication, { type: STRUCTURE }],
  [TAG.BatchErrorContinuationOption, { type: Enumeration }],
  [TAG.BatchOrderOption, { type: BOOLEAN }],
  [TAG.TimeStamp, { type: DateTime }],
  [TAG.BatchCount, { type: Integer }],
]);

const ITEM: ReadonlyMap<number, Member> = new Map<number, Member>([
  [TAG.Operation, { type: Enumeration }],
  [TAG.Ephemeral, { type: BOOLEAN, orType: Enumeration }],
  [TAG.UniqueBatchItemID, { type: ByteString }],
  [TAG.RequestPayload, { type: STRUCTURE }],
  [TAG.MessageExtension, { type: STRUCTURE, many: true }],
]);

const VERSION = payloadMembers(['ProtocolVersionMajor', 'ProtocolVersionMinor']);
const EXTENSION = payloadMembers(['VendorIdentification', 'CriticalityIndicator', 'VendorExtension']);

/** @throws Refusal InvalidMessage */
export const checkMessage = (message: Structure): void => check(message, MESSAGE);

/** @throws Refusal InvalidMessage */
export function checkHeader(header: Structure): void {
  check(header, HEADER);
  const version = structureOf(header, TAG.ProtocolVersion);
  if (version) requireMembers('ProtocolVersion', VERSION, version, 'InvalidMessage');
}

/** @throws Refusal InvalidMessage */
export function checkItem(item: Structure): void {
  check(item, ITEM);
  for (const extension of item.value) if (extension.tag === TAG.MessageExtension && extension.type === STRUCTURE) checkExtension(extension);
}

/** It has all three members (1.4 section 6.16, 2.1 section 9.16); what is in the VendorExtension only its vendor knows. */
function checkExtension(extension: Structure): void {
  requireMembers('MessageExtension', EXTENSION, extension, 'InvalidMessage');
  required(textOf(extension, TAG.VendorIdentification), TAG.VendorIdentification);
  required(booleanOf(extension, TAG.CriticalityIndicator), TAG.CriticalityIndicator);
  required(structureOf(extension, TAG.VendorExtension), TAG.VendorExtension);
}

/** Of two values the server would take one, and a proxy or a log perhaps the other. */
function check(parent: Structure, members: ReadonlyMap<number, Member>): void {
  for (const [at, { tag, type }] of parent.value.entries()) {
    const member = members.get(tag);
    if (!member) throw new Refusal('InvalidMessage', `${tagName(parent.tag)} has no ${tagName(tag)}`);
    if (type !== member.type && type !== member.orType)
      throw new Refusal('InvalidMessage', `${tagName(tag)} is ${TYPE_NAMES.name(type)}, not ${TYPE_NAMES.name(member.type)}`);
    if (!member.many && parent.value.findIndex((other) => other.tag === tag) !== at)
      throw new Refusal('InvalidMessage', `${tagName(parent.tag)} must have ${tagName(tag)} only once`);
  }
}
