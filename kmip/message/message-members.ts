// What a request, its header and its items may hold: each member is known, of its type, and mostly there once (specification 2.1 sections 8 and 9).
import { Refusal } from '../refusal.ts';
import { TYPE_NAMES } from '../ttlv/enumeration-of.ts';
import { tagName } from '../ttlv/names.ts';
import { type Structure, TYPE } from '../ttlv/node.ts';
import { booleanOf, required, structureOf, textOf } from '../ttlv/read.ts';
import { tagExists } from '../ttlv/since.ts';
import { TAG } from '../ttlv/tag.ts';
import type { Version } from '../version.ts';
import { payloadMembers, requireMembers, unknownField } from './payload-members.ts';
import { spoken } from './version-values.ts';

interface Member {
  readonly type: number;
  /** In other versions. */
  readonly orType?: number;
  /** Whether it may be repeated, and the first major version in which it may. */
  readonly many?: number;
}

const { Structure: STRUCTURE, Integer, Enumeration, Boolean: BOOLEAN, TextString, ByteString, DateTime } = TYPE;

const MESSAGE: ReadonlyMap<number, Member> = new Map<number, Member>([
  [TAG.RequestHeader, { type: STRUCTURE }],
  [TAG.BatchItem, { type: STRUCTURE, many: 1 }],
]);

const HEADER: ReadonlyMap<number, Member> = new Map<number, Member>([
  [TAG.ProtocolVersion, { type: STRUCTURE }],
  [TAG.MaximumResponseSize, { type: Integer }],
  [TAG.ClientCorrelationValue, { type: TextString }],
  [TAG.ServerCorrelationValue, { type: TextString }],
  [TAG.AsynchronousIndicator, { type: Enumeration, orType: BOOLEAN }],
  [TAG.AttestationCapableIndicator, { type: BOOLEAN }],
  [TAG.AttestationType, { type: Enumeration, many: 1 }],
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
  // Table 283 of 1.4 has one, table 396 of 2.1 several.
  [TAG.MessageExtension, { type: STRUCTURE, many: 2 }],
]);

const VERSION = payloadMembers(['ProtocolVersionMajor', 'ProtocolVersionMinor']);
const EXTENSION = payloadMembers(['VendorIdentification', 'CriticalityIndicator', 'VendorExtension']);

/** @throws Refusal as `check` */
export const checkMessage = (message: Structure, version: Version): void => check(message, MESSAGE, version);

/** @throws Refusal as `check` */
export function checkHeader(header: Structure, version: Version): void {
  check(header, HEADER, version);
  const given = structureOf(header, TAG.ProtocolVersion);
  if (given) requireMembers('ProtocolVersion', VERSION, given, unknownField(version));
}

/** @throws Refusal as `check` */
export function checkItem(item: Structure, version: Version): void {
  check(item, ITEM, version);
  for (const extension of item.value) if (extension.tag === TAG.MessageExtension && extension.type === STRUCTURE) checkExtension(extension, version);
}

/** It has all three members (1.4 section 6.16, 2.1 section 9.16); what is in the VendorExtension only its vendor knows. */
function checkExtension(extension: Structure, version: Version): void {
  requireMembers('MessageExtension', EXTENSION, extension, unknownField(version));
  required(textOf(extension, TAG.VendorIdentification), TAG.VendorIdentification);
  required(booleanOf(extension, TAG.CriticalityIndicator), TAG.CriticalityIndicator);
  required(structureOf(extension, TAG.VendorExtension), TAG.VendorExtension);
}

/**
 * Of two values the server would take one, and a proxy or a log perhaps the other.
 * @throws Refusal InvalidMessage, and `unknownField`
 */
function check(parent: Structure, members: ReadonlyMap<number, Member>, version: Version): void {
  for (const [at, { tag, type }] of parent.value.entries()) {
    const member = members.get(tag);
    if (!member) throw new Refusal(unknownField(version), `${tagName(parent.tag)} has no ${tagName(tag)}`);
    if (!tagExists(tag, version)) throw new Refusal(unknownField(version), `${tagName(parent.tag)} of ${spoken(version)} has no ${tagName(tag)}`);
    if (type !== member.type && type !== member.orType)
      throw new Refusal('InvalidMessage', `${tagName(tag)} is ${TYPE_NAMES.name(type)}, not ${TYPE_NAMES.name(member.type)}`);
    if ((member.many ?? Number.POSITIVE_INFINITY) > version.major && parent.value.findIndex((other) => other.tag === tag) !== at)
      throw new Refusal('InvalidMessage', `${tagName(parent.tag)} must have ${tagName(tag)} only once`);
  }
}
