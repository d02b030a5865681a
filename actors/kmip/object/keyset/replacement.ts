// Replaces an object on rotation: inherited attributes, dates, and the links and names of both objects (KMIP 2.1 sections 6.1.46 and 6.1.47).
import { referenceTo, valuesOf } from '../../../../kmip/attribute/reference.ts';
import { type AttributeSet, sameNode } from '../../../../kmip/attribute/set.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { LARGEST_DATE } from '../../../../kmip/ttlv/date-time.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { tagName } from '../../../../kmip/ttlv/names.ts';
import { boolean, dateTime, integer, type Structure, TYPE } from '../../../../kmip/ttlv/node.ts';
import { structureOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { ObjectTransaction, OperationContext } from '../../operation-context.ts';
import { owns } from '../../principal.ts';
import { ofSameKind, requireUsable } from '../attributes/attribute-change.ts';
import { attributesIn, newAttributes } from '../attributes/new-attributes.ts';
import { removeLink, setLink } from '../create.ts';
import { generationAfter, generationOf } from '../finding/generation.ts';
import { requireOnLine } from '../life/availability.ts';
import { dateAttribute, isDestroyed, markChanged, settle } from '../life/lifecycle.ts';
import type { DescriptionDraft, Draft, ObjectDescription } from '../managed-object.ts';
import { isFollowed, passDestroyed } from './keyset-end.ts';

const { State, ObjectType } = ENUM;

/** Attributes that the replacement does not inherit from the old object. */
const NOT_TAKEN: readonly number[] = [
  TAG.Digest,
  TAG.Fresh,
  TAG.InitialDate,
  TAG.OriginalCreationDate,
  TAG.LastChangeDate,
  TAG.DestroyDate,
  TAG.CompromiseDate,
  TAG.CompromiseOccurrenceDate,
  TAG.RevocationReason,
  TAG.DeactivationReason,
  TAG.ArchiveDate,
  TAG.ActivationDate,
  TAG.DeactivationDate,
  TAG.ProcessStartDate,
  TAG.ProtectStopDate,
  TAG.RandomNumberGenerator,
  TAG.LeaseTime,
];

/**
 * Links of a key that are not true of a new one: what it was derived from, what was derived from it, and the certificate that holds it
 * (2.1 tables 304 and 309, 1.4 section 3.35).
 */
const OF_OLD_KEY = ['DerivationBaseObjectLink', 'DerivedKeyLink', 'CertificateLink', 'PKCS_12CertificateLink'] as const;

/** Dates that keep their distance from the activation date. */
const FOLLOWING = [TAG.DeactivationDate, TAG.ProcessStartDate, TAG.ProtectStopDate] as const;

/** An object that was never active may be replaced too. @throws Refusal WrongKeyLifecycleState if it is destroyed, or already replaced in its keyset */
export async function requireReplaceable(tx: ObjectTransaction, draft: DescriptionDraft, kind: string, now: number): Promise<void> {
  settle(draft, now);
  requireOnLine(draft);
  if (isDestroyed(draft.state)) throw new Refusal('WrongKeyLifecycleState', `no active ${kind} found for ${draft.id}: it is destroyed`);
  if (await isFollowed(tx, draft)) throw new Refusal('WrongKeyLifecycleState', `${draft.id} is not the latest generation of its keyset`);
}

/**
 * The attributes of the replacement.
 * @param offset seconds from now to its activation; the other dates move with it. Undefined: the dates of the old object
 * @param given tags of the structures in the request whose attributes override the inherited ones
 */
export function replacementAttributes(
  old: ObjectDescription,
  request: Structure,
  offset: number | undefined,
  ctx: Pick<OperationContext, 'caller' | 'now' | 'version'>,
  ...given: readonly number[]
): AttributeSet {
  if (!owns(ctx.caller, old.owner)) refuseOwnersAttributes(request, given);
  if (offset !== undefined) requireOffset(old, request, ctx, given);
  const attributes = old.attributes.copy();
  for (const tag of NOT_TAKEN) attributes.remove(tag);
  setDates(attributes, old, offset, ctx.now);
  const notTaken = ['ReplacementObjectLink', 'ReplacedObjectLink', ...(old.type === ObjectType.Certificate ? [] : OF_OLD_KEY)] as const;
  for (const link of notTaken) removeLink({ ...old, attributes } as DescriptionDraft, link);
  renewUsage(attributes);
  const own = newAttributes(request, old.type, ...given);
  override(attributes, own, new Set(attributesIn(request, ...given).map(({ tag }) => tag)));
  if (!own.has(TAG.ProcessStartDate)) dropPassedStart(attributes, ctx.now);
  attributes.set(dateTime(TAG.RotateDate, ctx.now));
  attributes.set(integer(TAG.RotateGeneration, generationAfter(generationOf(old))));
  attributes.set(boolean(TAG.RotateLatest, true));
  return attributes;
}

/** Without an offset, the replacement of a key that has no activation date yet has none either. */
function setDates(attributes: AttributeSet, old: ObjectDescription, offset: number | undefined, now: number): void {
  const known = dateAttribute(old.attributes, TAG.ActivationDate);
  // The state of a certificate does not tell whether it is in use, so its replacement is active at once.
  if (known === undefined && offset === undefined && old.state === State.PreActive && old.type !== ObjectType.Certificate) {
    for (const tag of FOLLOWING) copyDate(attributes, old, tag, 0, now);
    return;
  }
  const before = known ?? now;
  const activation = offset === undefined ? before : now + offset;
  attributes.set(dateTime(TAG.ActivationDate, activation));
  for (const tag of FOLLOWING) copyDate(attributes, old, tag, activation - before, now);
}

function copyDate(attributes: AttributeSet, old: ObjectDescription, tag: number, seconds: number, now: number): void {
  const date = dateAttribute(old.attributes, tag);
  // An end in the past, such as that of a revocation, would end the replacement before it begins.
  if (date !== undefined && (date + seconds > now || tag === TAG.ProcessStartDate)) attributes.set(dateTime(tag, moved(date, seconds)));
}

/** The largest date stands for one that never comes (KMIP 2.1 section 6.1.28): it stays where it is, and none moves behind it. */
const moved = (date: number, seconds: number): number => (date === LARGEST_DATE ? date : Math.max(-LARGEST_DATE, Math.min(LARGEST_DATE, date + seconds)));

/** Who gives the replacement an activation of its own, and no start, need not know that of the old object, which has passed. */
function dropPassedStart(attributes: AttributeSet, now: number): void {
  const [start, activation] = [TAG.ProcessStartDate, TAG.ActivationDate].map((tag) => dateAttribute(attributes, tag));
  if (start !== undefined && activation !== undefined && start <= now && start < activation) attributes.remove(TAG.ProcessStartDate);
}

/**
 * @throws Refusal InvalidMessage if the request also gives dates; IllegalOperation (2.x: InvalidField) if there is no activation date
 * to count from (tables 331 and 332 of 1.4)
 */
function requireOffset(old: ObjectDescription, request: Structure, { version }: Pick<OperationContext, 'version'>, given: readonly number[]): void {
  for (const { tag } of given.flatMap((each) => structureOf(request, each)?.value ?? []))
    if (tag === TAG.ActivationDate || FOLLOWING.some((each) => each === tag))
      throw new Refusal('InvalidMessage', `give either Offset or ${tagName(tag)}, not both`);
  const follower = FOLLOWING.find((tag) => old.attributes.has(tag));
  if (follower === undefined || old.attributes.has(TAG.ActivationDate) || old.state !== State.PreActive) return;
  throw new Refusal(
    version.major === 1 ? 'IllegalOperation' : 'InvalidField',
    `Offset cannot move ${tagName(follower)}: ${old.id} has no ActivationDate to count from`,
  );
}

/**
 * Attributes that a grantee may choose for a replacement. Names could put it in the place of other keys of the owner, and flags
 * could make it extractable.
 */
const GRANTEES: ReadonlySet<number> = new Set([
  TAG.CryptographicAlgorithm,
  TAG.CryptographicLength,
  TAG.CryptographicDomainParameters,
  TAG.ActivationDate,
  ...FOLLOWING,
]);

/** @throws Refusal PermissionDenied */
function refuseOwnersAttributes(request: Structure, given: readonly number[]): void {
  for (const { tag } of given.flatMap((each) => structureOf(request, each)?.value ?? []))
    if (!GRANTEES.has(tag)) throw new Refusal('PermissionDenied', `DENIED: only the owner of an object can change the ${tagName(tag)} of its replacement`);
}

/** A new key starts with its full usage limits. */
function renewUsage(attributes: AttributeSet): void {
  const limits = attributes.first(TAG.UsageLimits);
  if (limits?.type !== TYPE.Structure) return;
  attributes.set(requireUsable(limits));
}

/**
 * Attributes that the request does not give keep their value; they are not reset to their default. Each name of a vendor attribute, and each type of
 * link, is one. Names are added to those of the old object (table 304).
 * @param given with the default usage mask of a new object @param stated tags of the attributes that the request itself has
 */
function override(attributes: AttributeSet, given: AttributeSet, stated: ReadonlySet<number>): void {
  for (const tag of given.tags()) {
    if (!stated.has(tag) && attributes.has(tag)) continue;
    const nodes = given.all(tag).map(({ node }) => node);
    const before = tag === TAG.Name ? [] : nodes.flatMap((node) => ofSameKind(valuesOf(attributes, referenceTo(node)), node));
    for (const value of new Set(before)) attributes.removeValue(value);
    for (const node of nodes) if (!attributes.all(tag).some((known) => sameNode(known.node, node))) attributes.add(node);
  }
}

/** An object and its replacement. */
export interface Succession {
  readonly old: DescriptionDraft;
  readonly replacement: Draft;
}

/**
 * Writes the replacements and marks the old objects as replaced. Names move to the replacements, and each pair is linked in both
 * directions. A replacement has the owner and the grants of the old object, whoever requested the rotation.
 */
export async function replace(tx: ObjectTransaction, { now }: Pick<OperationContext, 'now'>, ...successions: readonly Succession[]): Promise<void> {
  // Removes all Names before it sets any, because the two keys of a pair may share a Name.
  for (const { old, replacement } of successions) {
    replacement.owner = old.owner;
    await passDestroyed(tx, old, replacement);
    setLink(old, 'ReplacementObjectLink', replacement.id);
    setLink(replacement, 'ReplacedObjectLink', old.id);
    old.attributes.remove(TAG.Name);
    old.attributes.set(boolean(TAG.RotateLatest, false));
    markChanged(old, now);
    await tx.update(old);
  }
  for (const { replacement } of successions) await tx.insert(replacement);
  for (const { old, replacement } of successions) await tx.copyGrants(old, replacement);
}
