// What replaces an object on its rotation: the attributes it takes over, its dates, and the links and names of the two (KMIP 2.1 sections 6.1.46 and 6.1.47).
import type { ObjectTransaction, OperationContext } from '../operations/operation.ts';
import { Refusal } from '../refusal.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { tagName } from '../ttlv/names.ts';
import { boolean, dateTime, integer, type Structure, structure, TYPE } from '../ttlv/node.ts';
import { longOf, nameOf, structureOf } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';
import type { AttributeSet } from './attributes.ts';
import { linkedTo, removeLink, setLink } from './create.ts';
import { generationOf } from './finder.ts';
import { keysetOf } from './index-terms.ts';
import { changed, dateAttribute, settle } from './lifecycle.ts';
import type { DescriptionDraft, Draft, ObjectDescription } from './managed-object.ts';
import { newAttributes } from './new-attributes.ts';

const { State } = ENUM;

/** Set anew for the replacement; everything else is taken over. */
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
  TAG.ArchiveDate,
  TAG.ActivationDate,
  TAG.DeactivationDate,
  TAG.ProcessStartDate,
  TAG.ProtectStopDate,
  TAG.RandomNumberGenerator,
  TAG.LeaseTime,
  TAG.KeyFormatType,
];

/** Dates that keep their distance from the activation. */
const FOLLOWING = [TAG.DeactivationDate, TAG.ProcessStartDate, TAG.ProtectStopDate] as const;

/**
 * @param fromPreActive whether what was never active may be replaced: certificates, whose state says nothing of their use
 * @throws Refusal WrongKeyLifecycleState for what is not active yet, or destroyed, or was replaced already in its keyset
 */
export function requireReplaceable(draft: DescriptionDraft, kind: string, now: number, fromPreActive = false): void {
  settle(draft, now);
  if (draft.archived) throw new Refusal('ObjectArchived', 'the object is archived; recover it first');
  if (draft.state === State.Destroyed || draft.state === State.DestroyedCompromised)
    throw new Refusal('WrongKeyLifecycleState', `no active ${kind} found for ${draft.id}: it is destroyed`);
  if (draft.state === State.PreActive && !fromPreActive)
    throw new Refusal('WrongKeyLifecycleState', `only Active or Deactivated keys can be rotated, ${draft.id} is ${nameOf('State', draft.state)}`);
  if (keysetOf(draft) !== undefined && linkedTo(draft, 'ReplacementObjectLink') !== undefined)
    throw new Refusal('WrongKeyLifecycleState', `${draft.id} is not the latest generation of its keyset`);
}

/**
 * The attributes of the replacement.
 * @param offset seconds from now to its activation, the dates moving with it; undefined: the dates are those of the old object
 * @param given tags of the structures in the request that override what is taken over
 */
export function replacementAttributes(
  old: ObjectDescription,
  request: Structure,
  offset: number | undefined,
  { caller, now }: Pick<OperationContext, 'caller' | 'now'>,
  ...given: readonly number[]
): AttributeSet {
  if (old.owner !== caller.user) refuseOwnersAttributes(request, given);
  const attributes = old.attributes.copy();
  for (const tag of NOT_TAKEN) attributes.remove(tag);
  const before = dateAttribute(old.attributes, TAG.ActivationDate) ?? now;
  const activation = offset === undefined ? before : now + offset;
  attributes.set(dateTime(TAG.ActivationDate, activation));
  for (const tag of FOLLOWING) {
    const date = dateAttribute(old.attributes, tag);
    const moved = date === undefined ? undefined : date + (activation - before);
    // A date that has passed, as that of a revocation, would end the replacement before it begins.
    if (moved !== undefined && moved > now) attributes.set(dateTime(tag, moved));
  }
  for (const link of ['ReplacementObjectLink', 'ReplacedObjectLink'] as const) removeLink({ ...old, attributes } as DescriptionDraft, link);
  renewUsage(attributes);
  override(attributes, newAttributes(request, old.type, ...given), given.length > 0);
  attributes.set(dateTime(TAG.RotateDate, now));
  attributes.set(integer(TAG.RotateGeneration, generationOf(old) + 1));
  attributes.set(boolean(TAG.RotateLatest, true));
  return attributes;
}

/** What a grantee may choose of a replacement. Its names would put it in the place of other keys of the owner, its flags let it out. */
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
    if (!GRANTEES.has(tag)) throw new Refusal('PermissionDenied', `DENIED: only the owner of an object gives its replacement another ${tagName(tag)}`);
}

/** A new key has the whole of its usage before it. */
function renewUsage(attributes: AttributeSet): void {
  const limits = attributes.first(TAG.UsageLimits);
  if (limits?.type !== TYPE.Structure) return;
  const total = longOf(limits, TAG.UsageLimitsTotal);
  if (total === undefined) return;
  const members = limits.value.map((node) => (node.tag === TAG.UsageLimitsCount ? { tag: TAG.UsageLimitsCount, type: TYPE.LongInteger, value: total } : node));
  attributes.set(structure(TAG.UsageLimits, members));
}

/** What no attribute of the request says is not reset to its default. */
function override(attributes: AttributeSet, given: AttributeSet, any: boolean): void {
  if (!any) return;
  for (const tag of given.tags()) {
    if (tag === TAG.CryptographicUsageMask && attributes.has(tag) && given.first(tag)?.value === 0x200000) continue;
    attributes.remove(tag);
    for (const { node } of given.all(tag)) attributes.add(node);
  }
}

/**
 * Writes the replacement, and marks the old object as replaced: its names go to the new one, and the two lead to each other. Whose the old
 * one is, and who may use it, is so of the new one, whoever asked for the rotation.
 */
export async function replace(tx: ObjectTransaction, old: DescriptionDraft, replacement: Draft, { now }: OperationContext): Promise<void> {
  replacement.owner = old.owner;
  setLink(old, 'ReplacementObjectLink', replacement.id);
  setLink(replacement, 'ReplacedObjectLink', old.id);
  old.attributes.remove(TAG.Name);
  old.attributes.set(boolean(TAG.RotateLatest, false));
  changed(old, now);
  await tx.insert(replacement);
  await tx.update(old);
  await tx.copyGrants(old, replacement);
}
