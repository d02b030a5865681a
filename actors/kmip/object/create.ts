// Makes new objects: their identifier, state and the attributes that the server sets (specification 2.1 section 4).
import type { AttributeSet } from '../../../kmip/attribute/set.ts';
import { keyBlockHead } from '../../../kmip/key-block.ts';
import type { ObjectType as ObjectTypeCode } from '../../../kmip/object-type.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { boolean, dateTime, enumeration, integer, type Node, type Structure, structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { OperationContext } from '../operation-context.ts';
import { callerName } from '../principal.ts';
import { requireSize, requireUsable } from './attributes/attribute-change.ts';
import { requireOrderedDates } from './attributes/attribute-dates.ts';
import { digestsOf, isGuessable } from './attributes/digest.ts';
import { describeOrigin } from './attributes/origin.ts';
import { flagOf } from './flag.ts';
import { granteesOf } from './grants.ts';
import { settle } from './life/lifecycle.ts';
import type { DescriptionDraft, Draft, ObjectDescription } from './managed-object.ts';
import type { Place } from './place.ts';

const { ObjectType, State } = ENUM;

interface NewObject {
  readonly type: ObjectTypeCode;
  readonly content: Structure;
  /** The attributes from the request; they become those of the object itself. */
  readonly attributes: AttributeSet;
  /** Chosen before the content was created. */
  readonly place: Place;
  /** The object was created elsewhere, and the client registers or imports it. */
  readonly brought?: true;
  /** The object is joined from parts, so it was made before, and perhaps elsewhere: only the client can say when and how. */
  readonly joined?: true;
  /** The attributes are complete: the server adds the ones that it sets itself only if they are missing (KMIP 2.1 section 6.1.25). */
  readonly complete?: true;
}

/** Object types whose content is a key block. */
const KEYS: ReadonlySet<number> = new Set([
  ObjectType.SymmetricKey,
  ObjectType.PrivateKey,
  ObjectType.PublicKey,
  ObjectType.SplitKey,
  ObjectType.SecretData,
  ObjectType.PGPKey,
]);

/** Builds an object with all attributes that the server sets; the caller stores it in a transaction. @throws Refusal InvalidAttributeValue for dates in a wrong order, and for what only the server says */
export function newObject(ctx: OperationContext, { place: { id, source, chosen }, type, content, attributes, brought, joined, complete }: NewObject): Draft {
  for (const tag of [TAG.UniqueIdentifier, TAG.ObjectType, TAG.State]) attributes.remove(tag);
  const owner = source.keeper?.ownerOf(id) ?? ctx.caller.user;
  const draft: Draft = { id, type, owner, state: State.PreActive, archived: false, attributes, content, ...(chosen ? { chosen } : {}) };
  const set = (node: Node) => (complete && attributes.has(node.tag) ? undefined : attributes.set(node));
  for (const tag of [TAG.InitialDate, TAG.LastChangeDate]) set(dateTime(tag, ctx.now));
  if (!brought && !joined) describeOrigin(attributes, { now: ctx.now, isKept: source.keeper !== undefined });
  if (!brought || !isUsed(attributes, ctx)) set(boolean(TAG.Fresh, true));
  // A key on a token can be used as soon as it is there.
  if (source.keeper && !attributes.has(TAG.ActivationDate)) attributes.set(dateTime(TAG.ActivationDate, ctx.now));
  const limits = attributes.first(TAG.UsageLimits);
  // An imported object keeps its count.
  if (limits) attributes.set(requireUsable(limits, complete));
  if (KEYS.has(type)) describeKey(draft, content, set);
  if (!isGuessable(type) && !(complete && attributes.has(TAG.Digest))) describeDigest(draft, content);
  requireSize(draft);
  requireOrderedDates(draft, ctx.now);
  settle(draft, ctx.now);
  return draft;
}

/** Whether the client says that somebody else has given the object out already, which counts since 2.0 (section 4.24 of 2.1). */
function isUsed(attributes: AttributeSet, { version }: Pick<OperationContext, 'version'>): boolean {
  return version.major > 1 && attributes.first(TAG.Fresh)?.value === false;
}

function describeKey({ attributes }: Draft, content: Structure, set: (node: Node) => void): void {
  const { algorithm, length, format } = keyBlockHead(content);
  if (algorithm !== undefined && !attributes.has(TAG.CryptographicAlgorithm))
    attributes.set(enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[algorithm]));
  if (length !== undefined && !attributes.has(TAG.CryptographicLength)) attributes.set(integer(TAG.CryptographicLength, length));
  attributes.set(enumeration(TAG.KeyFormatType, ENUM.KeyFormatType[format]));
  const sensitive = flag(attributes, TAG.Sensitive, false);
  const extractable = flag(attributes, TAG.Extractable, true);
  set(boolean(TAG.AlwaysSensitive, sensitive));
  set(boolean(TAG.NeverExtractable, !extractable));
}

function describeDigest({ attributes }: Draft, content: Structure): void {
  const [own, ...more] = digestsOf(content, attributes);
  if (own) attributes.set(own);
  for (const digest of more) attributes.add(digest);
}

/** Reads a flag. Sets it to its default if it is missing. */
function flag(attributes: AttributeSet, tag: number, otherwise: boolean): boolean {
  const value = flagOf(attributes, tag, otherwise);
  attributes.set(boolean(tag, value));
  return value;
}

/** A Link attribute to another object (specification 2.1 section 4.31). */
export function link(type: keyof typeof ENUM.LinkType, id: string): Structure {
  return structure(TAG.Link, [enumeration(TAG.LinkType, ENUM.LinkType[type]), { tag: TAG.LinkedObjectIdentifier, type: TYPE.TextString, value: id }]);
}

/** The target of the link of this type. */
export function linkedTo({ attributes }: Pick<ObjectDescription, 'attributes'>, type: keyof typeof ENUM.LinkType): string | undefined {
  for (const { node } of attributes.all(TAG.Link)) {
    if (!isOfType(node, type)) continue;
    const target: Node | undefined = node.value.find(({ tag }) => tag === TAG.LinkedObjectIdentifier);
    if (target?.type === TYPE.TextString) return target.value;
  }
  return undefined;
}

const isOfType = (node: Node, type: keyof typeof ENUM.LinkType): node is Structure =>
  node.type === TYPE.Structure && node.value.some(({ tag, value }) => tag === TAG.LinkType && value === ENUM.LinkType[type]);

/** Replaces the link of this type; an object has at most one. */
export function setLink(draft: DescriptionDraft, type: keyof typeof ENUM.LinkType, id: string): void {
  removeLink(draft, type);
  draft.attributes.add(link(type, id));
}

/** Links the two keys of a pair with each other. */
export function linkPair(privateKey: DescriptionDraft, publicKey: DescriptionDraft): void {
  setLink(privateKey, 'PublicKeyLink', publicKey.id);
  setLink(publicKey, 'PrivateKeyLink', privateKey.id);
}

export function removeLink(draft: DescriptionDraft, type: keyof typeof ENUM.LinkType): void {
  for (const value of draft.attributes.all(TAG.Link)) if (isOfType(value.node, type)) draft.attributes.removeValue(value);
}

/** @throws Refusal PermissionDenied if creating objects is a privilege that the caller does not have */
export async function requireCreation(ctx: OperationContext): Promise<void> {
  if (!(await mayCreate(ctx))) throw new Refusal('PermissionDenied', 'only privileged users and users with a grant of create may create objects');
}

export async function mayCreate({ server, caller }: Pick<OperationContext, 'server' | 'caller'>): Promise<boolean> {
  const { privilegedUsers } = server.args;
  if (privilegedUsers.length === 0 || privilegedUsers.includes(callerName(caller))) return true;
  const grants = await server.rows.grants.readOfEverything(server.store);
  return granteesOf(caller).some((grantee) => grants.get(grantee)?.has('create'));
}
