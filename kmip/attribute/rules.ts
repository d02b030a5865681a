// Applies the table of attributes: their names in KMIP 1.x, what clients may do with them, and which values they may have.
import type { ObjectType } from '../object-type.ts';
import { Refusal } from '../refusal.ts';
import { parseTags } from '../tags.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { TYPE_NAMES, undefinedCode } from '../ttlv/enumeration-of.ts';
import { tagName } from '../ttlv/names.ts';
import { enumeration, interval, type Node, type Structure, structure, TYPE, text } from '../ttlv/node.ts';
import { child, nameOf, secondsOf, textOf } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';
import type { Version } from '../version.ts';
import { isTags } from './reference.ts';
import { ATTRIBUTES, type AttributeRule, type ClientRight, MEMBER_TYPES } from './table.ts';

/** @returns undefined if the tag is not that of an attribute */
export function ruleOf(tag: number): AttributeRule | undefined {
  return ATTRIBUTES.get(tag);
}

export function isMultiple(tag: number): boolean {
  return ruleOf(tag)?.multiple ?? false;
}

const STEPS: readonly ClientRight[] = ['none', 'create', 'add', 'modify', 'delete'];

const reaches = (tag: number, right: ClientRight): boolean => STEPS.indexOf(ruleOf(tag)?.client ?? 'none') >= STEPS.indexOf(right);

/** Whether a client may set the attribute when it creates an object. */
export const mayClientSet = (tag: number): boolean => reaches(tag, 'create');
/** Whether a client may add the attribute to an object that does not have it. */
export const mayClientAdd = (tag: number): boolean => reaches(tag, 'add');
/** Whether a client may change the attribute, if the dates and the state of the object also permit it. */
export const mayClientModify = (tag: number): boolean => reaches(tag, 'modify');
export const mayClientDelete = (tag: number): boolean => reaches(tag, 'delete');

/** The error that says why a client cannot set, change or delete the attribute. */
export function readOnly(tag: number): Refusal {
  return new Refusal('AttributeReadOnly', `DENIED: ${tagName(tag)} ${WHY[ruleOf(tag)?.client ?? 'none']}`);
}

/** By what a client may do. Those with every right are refused only as attributes of the vendor y, which are for servers (2.1 section 4.60). */
const WHY: Readonly<Record<ClientRight, string>> = {
  none: 'is server-managed',
  create: 'can be set only when the object is created',
  add: 'cannot be changed or deleted once it is set',
  modify: 'cannot be deleted',
  delete: 'of the vendor y is server-managed',
};

/** The name in KMIP 1.x, such as `Cryptographic Algorithm`; undefined if KMIP 1.x does not have the attribute. */
export function nameOfAttribute(tag: number): string | undefined {
  return NAMES.get(tag);
}

/** The tag of an attribute by its name in KMIP 1.x. */
export function attributeByName(name: string): number | undefined {
  return TAGS.get(name);
}

const NAMES: ReadonlyMap<number, string> = new Map([...ATTRIBUTES].filter(([, { since }]) => since < '2.0').map(([tag]) => [tag, spaceWords(tagName(tag))]));
const TAGS: ReadonlyMap<string, number> = new Map([...NAMES].map(([tag, name]) => [name, tag]));

/** Turns `X_509CertificateIssuer` into `X.509 Certificate Issuer`. */
function spaceWords(name: string): string {
  if (name === 'PKCS_12FriendlyName') return 'PKCS#12 Friendly Name';
  return name.replace('_', '.').replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ');
}

/** Whether a client of this version knows the attribute. */
export function isAttributeIn(tag: number, version: Version): boolean {
  return knownIn(version).tags.has(tag);
}

/** The attributes that clients of this version know, in the order of the table. */
export function attributesOf(version: Version): readonly number[] {
  return knownIn(version).inOrder;
}

interface Known {
  readonly tags: ReadonlySet<number>;
  /** The same as a list: to go through a set makes an object for each of its members. */
  readonly inOrder: readonly number[];
}

function knownIn(version: Version): Known {
  const key = version.major * 100 + version.minor;
  let known = BY_VERSION.get(key);
  if (!known) {
    const tags = new Set([...ATTRIBUTES].filter(([tag, rule]) => isIn(tag, rule, version)).map(([tag]) => tag)).add(TAG.Attribute);
    known = { tags, inOrder: [...tags] };
    BY_VERSION.set(key, known);
  }
  return known;
}

/** One entry for each version that is served: others are refused before. */
const BY_VERSION = new Map<number, Known>();

function isIn(tag: number, { wish, since, gone }: AttributeRule, { major, minor }: Version): boolean {
  // KMIP 1.x has vendor attributes too, as custom attributes.
  return tag === TAG.Attribute || (!wish && since <= `${major}.${minor}` && !(gone && major >= 2));
}

/**
 * Checks the form of an attribute that a client sent, and whether an object of this type may have it.
 * @returns the attribute in the form in which the server stores it
 * @throws Refusal InvalidAttribute, InvalidAttributeValue, ApplicationNamespaceNotSupported
 */
export function checkAttribute(node: Node, objectType: ObjectType): Node {
  const rule = ruleOf(node.tag);
  if (rule?.only && !rule.only.includes(objectType))
    throw new Refusal('InvalidAttribute', `${nameOf('ObjectType', objectType)} objects do not have the attribute ${tagName(node.tag)}`);
  return checkForm(node);
}

/** Checks only the form of an attribute, not whether the object may have it. @throws Refusal as `checkAttribute` */
export function checkForm(node: Node): Node {
  const rule = ruleOf(node.tag);
  if (!rule) throw new Refusal('InvalidAttribute', `${tagName(node.tag)} is not an attribute`);
  const whole = asStored(node);
  requireType(whole, 'InvalidAttributeValue');
  if (whole.type === TYPE.Structure) checkStructure(whole, rule);
  checkCode(whole);
  return whole;
}

/** @param node as stored @throws Refusal with the reason for an attribute of another type */
export function requireType({ tag, type }: Node, reason: 'InvalidAttributeValue' | 'InvalidField'): void {
  const rule = ruleOf(tag);
  if (rule && type !== rule.type) throw new Refusal(reason, `${tagName(tag)} must be of type ${TYPE_NAMES.name(rule.type)}, not ${TYPE_NAMES.name(type)}`);
}

/** The form in which the server stores an attribute that clients may send in several. */
export function asStored(node: Node): Node {
  const rule = ruleOf(node.tag);
  return rule ? asRuled(rotateName(node), rule) : node;
}

function checkCode(node: Node): void {
  const code = undefinedCode(node);
  if (code !== undefined) throw new Refusal('InvalidAttributeValue', `${tagName(node.tag)} has no value ${code}`);
}

/** Turns other whole numbers into an Interval if the attribute needs one. */
function asRuled(node: Node, rule: AttributeRule): Node {
  const seconds = rule.type === TYPE.Interval ? secondsOf(node) : undefined;
  return seconds === undefined ? node : interval(node.tag, seconds);
}

/** Completes a RotateName that a client sent as plain text. */
function rotateName(node: Node): Node {
  if (node.tag !== TAG.RotateName || node.type !== TYPE.TextString) return node;
  return structure(TAG.RotateName, [text(TAG.RotateNameValue, node.value), enumeration(TAG.RotateNameType, ENUM.RotateNameType.UninterpretedTextString)]);
}

function checkStructure(node: Structure, { members = [] }: AttributeRule): void {
  for (const name of members) if (!child(node, TAG[name])) throw new Refusal('InvalidAttributeValue', `${tagName(node.tag)} needs the field ${name}`);
  for (const member of node.value)
    if ((MEMBER_TYPES.get(member.tag) ?? member.type) !== member.type)
      throw new Refusal(
        'InvalidAttributeValue',
        `${tagName(member.tag)} in ${tagName(node.tag)} must be of type ${TYPE_NAMES.name(MEMBER_TYPES.get(member.tag) as number)}, not ${TYPE_NAMES.name(member.type)}`,
      );
  const total = node.tag === TAG.UsageLimits ? child(node, TAG.UsageLimitsTotal)?.value : undefined;
  if (typeof total === 'bigint' && total < 0n) throw new Refusal('InvalidAttributeValue', 'UsageLimitsTotal must not be negative');
  // Only the vendor knows which codes are valid in a vendor attribute.
  if (node.tag !== TAG.Attribute) node.value.forEach(checkCode);
  if (node.tag === TAG.RotateName) checkRotateName(textOf(node, TAG.RotateNameValue) ?? '');
  if (node.tag === TAG.ApplicationSpecificInformation && !child(node, TAG.ApplicationData))
    throw new Refusal('ApplicationNamespaceNotSupported', 'ApplicationData is missing; this server does not generate it, so the request must contain it');
  if (node.tag === TAG.Attribute) checkVendorAttribute(node);
}

/** The vendor attribute `tag` contains the tags as a JSON array of strings; tags that begin with _ are reserved for the server. */
function checkVendorAttribute(node: Structure): void {
  const vendor = textOf(node, TAG.VendorIdentification) ?? '';
  if (!/^[A-Za-z0-9_.]+$/.test(vendor)) throw new Refusal('InvalidAttributeValue', 'VendorIdentification must consist of letters, digits, _ and . only');
  if (!isTags({ tag: node.tag, vendor, name: textOf(node, TAG.AttributeName) ?? '' })) return;
  const value = child(node, TAG.AttributeValue);
  const tags = value?.type === TYPE.TextString ? parseTags(value.value) : undefined;
  if (!tags) throw new Refusal('InvalidAttributeValue', 'the value of the attribute tag must be a JSON array of strings in valid Unicode, without U+0000');
  if (tags.some((tag) => tag === '' || tag.startsWith('_')))
    throw new Refusal('InvalidAttributeValue', 'a tag must not be empty and must not begin with _, which is reserved for the server');
}

function checkRotateName(name: string): void {
  if (name === '') throw new Refusal('InvalidAttributeValue', 'RotateName must not be empty');
  if (name.startsWith('['))
    throw new Refusal('InvalidAttributeValue', "RotateName must not begin with '[': an identifier that does names the tags of an object");
  if (name.includes('@')) throw new Refusal('InvalidAttributeValue', "RotateName must not contain '@': it separates the name from the generation");
}
