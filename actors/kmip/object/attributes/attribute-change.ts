// Adds, changes and deletes values of a draft's attributes on behalf of a client, as far as the rules of each attribute permit it.
import { linkTypeOf } from '../../../../kmip/attribute/link-tag.ts';
import { type AttributeReference, isTags, referenceTo, valuesOf } from '../../../../kmip/attribute/reference.ts';
import { isMultiple, mayClientAdd, mayClientDelete, mayClientModify, readOnly, ruleOf } from '../../../../kmip/attribute/rules.ts';
import { type AttributeValue, type ReadonlyAttributes, sameNode } from '../../../../kmip/attribute/set.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { binarySize } from '../../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { tagName } from '../../../../kmip/ttlv/names.ts';
import { boolean, enumeration, longInteger, type Node, structure, TYPE } from '../../../../kmip/ttlv/node.ts';
import { child, codeOf, longOf, nameOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { userTags } from '../index-terms.ts';
import type { DescriptionDraft, ObjectDescription } from '../managed-object.ts';
import { requireOpenDate } from './attribute-dates.ts';

/** Maximum number of values of one attribute; all vendor attributes of an object count as one attribute. */
const MAX_VALUES = 256;

/** Whether an object may have another value of this attribute. */
export const hasRoom = (attributes: ReadonlyAttributes, tag: number): boolean => attributes.all(tag).length < MAX_VALUES;

/** Limit for all attributes of an object together, because every use of the object reads all of them. */
const MAX_ATTRIBUTE_BYTES = 262_144;
/** Each tag has its own row in the index. */
const MAX_TAGS = 256;

/** @throws Refusal ServerLimitExceeded if a client has given the object more attributes than allowed */
export function requireSize(object: ObjectDescription): void {
  const size = binarySize(object.attributes.toStructure());
  if (size > MAX_ATTRIBUTE_BYTES)
    throw new Refusal('ServerLimitExceeded', `the attributes of an object can have at most ${MAX_ATTRIBUTE_BYTES} bytes in total; these have ${size}`);
  if (userTags(object).length > MAX_TAGS) throw new Refusal('ServerLimitExceeded', `an object can have at most ${MAX_TAGS} tags`);
}

/** @throws Refusal ServerLimitExceeded if the attribute already has too many values, or would have with another one */
export function requireRoom(attributes: ReadonlyAttributes, tag: number, another: 0 | 1 = 1): void {
  if (attributes.all(tag).length + another > MAX_VALUES)
    throw new Refusal('ServerLimitExceeded', `an object can have at most ${MAX_VALUES} values of ${tagName(tag)}`);
}

/** Chooses one of several values: by its index (KMIP 1.x), by the value itself (2.x), or the only one. */
export interface Choice {
  readonly index?: number | undefined;
  readonly current?: Node | undefined;
}

/** @throws Refusal AttributeReadOnly, AttributeSingleValued, NonUniqueNameAttribute, ServerLimitExceeded, WrongKeyLifecycleState */
export function addValue(draft: DescriptionDraft, node: Node, now: number): AttributeValue {
  const reference = referenceTo(node);
  requireRight(reference, mayClientAdd(node.tag));
  const values = valuesOf(draft.attributes, reference);
  const same = values.find((value) => sameNode(value.node, node));
  if (same && node.tag === TAG.Name) throw new Refusal('NonUniqueNameAttribute', 'DENIED: the object already has this Name');
  // Clients of KMIP 1.x repeat the policy that they gave with Create.
  if (same && (isRepeatable(reference) || node.tag === TAG.OperationPolicyName)) return same;
  if (values.length > 0 && !isRepeatable(reference))
    throw new Refusal('AttributeSingleValued', `DENIED: ${tagName(node.tag)} can have only one value, and the object already has one`);
  requireOpenDate(draft, node.tag, now);
  requireRoom(draft.attributes, node.tag);
  const added = draft.attributes.add(requireUsable(node));
  // Until now it had the default: not sensitive, and extractable.
  if (node.tag === TAG.Sensitive || node.tag === TAG.Extractable) noteProtection(draft, boolean(node.tag, node.tag === TAG.Extractable));
  return added;
}

/**
 * All values of an attribute are different (section 4).
 * @throws Refusal AttributeReadOnly, AttributeNotFound, AttributeInstanceNotFound, NonUniqueNameAttribute, InvalidField, WrongKeyLifecycleState
 */
export function modifyValue(draft: DescriptionDraft, node: Node, choice: Choice, now: number): AttributeValue {
  const reference = referenceTo(node);
  requireRight(reference, mayClientModify(node.tag));
  requireOpenDate(draft, node.tag, now);
  const chosen = choose(draft, reference, choice, node);
  const others = valuesOf(draft.attributes, reference).filter((value) => value !== chosen);
  if (others.some((value) => sameNode(value.node, node)))
    throw new Refusal(node.tag === TAG.Name ? 'NonUniqueNameAttribute' : 'InvalidField', `DENIED: the object already has this ${tagName(node.tag)}`);
  requireUnused(chosen.node);
  const changed = draft.attributes.replaceValue(chosen, requireUsable(withUnit(node, chosen.node)));
  noteProtection(draft, node);
  return changed;
}

/** @throws Refusal MultiValuedAttribute, and the refusals of addValue and modifyValue */
export function setValue(draft: DescriptionDraft, node: Node, now: number): AttributeValue {
  const values = ofSameKind(valuesOf(draft.attributes, referenceTo(node)), node);
  if (values.length > 1) throw new Refusal('MultiValuedAttribute', `${tagName(node.tag)} has several values`);
  return values.length === 0 ? addValue(draft, node, now) : modifyValue(draft, node, {}, now);
}

/** @returns the deleted value @throws Refusal AttributeReadOnly, AttributeNotFound, AttributeInstanceNotFound */
export function deleteValue(draft: DescriptionDraft, reference: AttributeReference, choice: Choice): AttributeValue {
  requireRight(reference, mayClientDelete(reference.tag));
  const chosen = choose(draft, reference, choice);
  requireUnused(chosen.node);
  draft.attributes.removeValue(chosen);
  return chosen;
}

/** @throws Refusal AttributeReadOnly, AttributeNotFound */
export function deleteAll(draft: DescriptionDraft, reference: AttributeReference): void {
  const held = linkTypeOf(reference.tag) === undefined ? reference : { tag: TAG.Link };
  requireRight(held, mayClientDelete(held.tag));
  const values = valuesOf(draft.attributes, reference);
  if (values.length === 0) throw absent(reference);
  for (const value of values) {
    requireUnused(value.node);
    draft.attributes.removeValue(value);
  }
}

/** Links of different types share one tag, but each type counts as an attribute of its own. */
export function ofSameKind(values: readonly AttributeValue[], meant: Node): readonly AttributeValue[] {
  if (meant.tag !== TAG.Link || meant.type !== TYPE.Structure) return values;
  const type = codeOf(meant, TAG.LinkType);
  return values.filter(({ node }) => node.type === TYPE.Structure && codeOf(node, TAG.LinkType) === type);
}

/** @param meant the new value; if the request does not choose a value, the new one replaces the value of its kind */
function choose(draft: DescriptionDraft, reference: AttributeReference, { index, current }: Choice, meant?: Node): AttributeValue {
  const all = valuesOf(draft.attributes, reference);
  const values = meant && index === undefined && !current ? ofSameKind(all, meant) : all;
  if (values.length === 0) throw absent(reference);
  if (index === undefined && !current && values.length > 1)
    throw new Refusal('AttributeInstanceNotFound', `${tagName(reference.tag)} has several values; say which one in the request`);
  const chosen = values.find((value) => (current ? sameNode(value.node, current) : index === undefined || value.index === index));
  if (!chosen) throw new Refusal('AttributeInstanceNotFound', `the object has no such value of ${tagName(reference.tag)}`);
  return chosen;
}

function absent({ tag, name }: AttributeReference): Refusal {
  return new Refusal('AttributeNotFound', `the object has no attribute ${name ?? tagName(tag)}`);
}

function requireRight({ tag, vendor }: AttributeReference, permitted: boolean): void {
  if (!ruleOf(tag)) throw new Refusal('InvalidAttribute', `${tagName(tag)} is not an attribute`);
  if (permitted && vendor !== 'y') return;
  throw readOnly(tag);
}

/** Vendor attributes may have several values, like the custom attributes of KMIP 1.x. The tags of an object are a single value. */
function isRepeatable(reference: AttributeReference): boolean {
  return isMultiple(reference.tag) && !isTags(reference);
}

/**
 * Section 4.59: the server sets the count, which starts at the total, and sets the unit if the client leaves it out.
 * The fields have the order of the table, because clients rely on it.
 * @param isCounted the client knows how much is left @throws Refusal InvalidAttributeValue
 */
export function requireUsable(node: Node, isCounted = false): Node {
  const total = node.tag === TAG.UsageLimits && node.type === TYPE.Structure ? longOf(node, TAG.UsageLimitsTotal) : undefined;
  if (total === undefined || node.type !== TYPE.Structure) return node;
  const count = (isCounted ? longOf(node, TAG.UsageLimitsCount) : undefined) ?? total;
  if (count < 0n || count > total) throw new Refusal('InvalidAttributeValue', `UsageLimitsCount must be between 0 and the total, which is ${total}`);
  const unit = codeOf(node, TAG.UsageLimitsUnit) ?? ENUM.UsageLimitsUnit.Object;
  // A client that gives an unknown unit expects its uses to be counted in it.
  nameOf('UsageLimitsUnit', unit);
  return structure(node.tag, [longInteger(TAG.UsageLimitsTotal, total), longInteger(TAG.UsageLimitsCount, count), enumeration(TAG.UsageLimitsUnit, unit)]);
}

/** Who changes the total of UsageLimits alone does not mean other units (section 4.59). */
function withUnit(node: Node, before: Node): Node {
  if (node.tag !== TAG.UsageLimits || node.type !== TYPE.Structure || before.type !== TYPE.Structure || child(node, TAG.UsageLimitsUnit)) return node;
  const unit = child(before, TAG.UsageLimitsUnit);
  return unit ? structure(node.tag, [...node.value, unit]) : node;
}

function requireUnused(node: Node): void {
  if (node.tag !== TAG.UsageLimits || node.type !== TYPE.Structure) return;
  const count = child(node, TAG.UsageLimitsCount)?.value;
  if (count !== undefined && count !== child(node, TAG.UsageLimitsTotal)?.value)
    throw new Refusal('AttributeReadOnly', 'DENIED: UsageLimits cannot be changed after the object has been used');
}

/** Sections 4.3 and 4.33: once an object has been not sensitive, or extractable, AlwaysSensitive or NeverExtractable is false for good. */
function noteProtection(draft: DescriptionDraft, node: Node): void {
  if (node.tag === TAG.Sensitive && node.value === false) draft.attributes.set(boolean(TAG.AlwaysSensitive, false));
  if (node.tag === TAG.Extractable && node.value === true) draft.attributes.set(boolean(TAG.NeverExtractable, false));
}
