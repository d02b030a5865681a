// Checks the attributes that a client gives a new object: each attribute alone, then all together.
import type { CryptographicAlgorithm, RecommendedCurve } from '../../../../crypto/parameters.ts';
import { requireNewValue } from '../../../../kmip/attribute/new-value.ts';
import { isOfServer, isTags, referenceTo, valuesOf } from '../../../../kmip/attribute/reference.ts';
import { checkAttribute, isMultiple, mayClientSet, nameOfAttribute, readOnly } from '../../../../kmip/attribute/rules.ts';
import { AttributeSet, type ReadonlyAttributes, sameNode } from '../../../../kmip/attribute/set.ts';
import type { KeyFormatType } from '../../../../kmip/key-format/key-format-type.ts';
import type { ObjectType } from '../../../../kmip/object-type.ts';
import type { OperationName } from '../../../../kmip/operation-name.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../../kmip/ttlv/mask.ts';
import { tagName } from '../../../../kmip/ttlv/names.ts';
import { integer, type Node, type Structure, TYPE } from '../../../../kmip/ttlv/node.ts';
import { nameOf, structureOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { Version } from '../../../../kmip/version.ts';
import { requireRoom, requireUsable } from './attribute-change.ts';
import { requireDatesOfUse } from './attribute-dates.ts';

/**
 * @param tags of the structures that hold attributes: first the common ones, then those of one key. Of an attribute with one value, and of a
 * vendor attribute, the later structure decides; others have the values of all, those of the later structure first (KMIP 2.1 section 6.1.9)
 * @throws Refusal for an attribute that is malformed, that only the server sets, that is given twice, or whose date contradicts another
 */
export function newAttributes(request: Structure, type: ObjectType, ...tags: readonly number[]): AttributeSet {
  const set = new AttributeSet();
  for (const tag of tags) takeOver(set, givenAttributes(structureOf(request, tag), type, tag === TAG.CommonAttributes).nodes());
  requireDatesOfUse(set);
  completeMask(set, type);
  return set;
}

/** An object with uses that states none has all of them (KMIP 2.1 table 28). The uses of a certificate follow from the certificate itself. */
export function completeMask(attributes: AttributeSet, type: ObjectType): void {
  if (USED.has(type) && !attributes.has(TAG.CryptographicUsageMask))
    attributes.set(integer(TAG.CryptographicUsageMask, MASK.CryptographicUsageMask.Unrestricted));
}

function takeOver(set: AttributeSet, own: readonly Node[]): void {
  const before = new Set(own.flatMap((node) => valuesOf(set, referenceTo(node))));
  for (const value of before) set.removeValue(value);
  for (const node of own) takeAttribute(set, node);
  for (const { node } of before) {
    const isUnited = isMultiple(node.tag) && node.tag !== TAG.Attribute;
    if (isUnited && !set.all(node.tag).some((known) => sameNode(known.node, node))) takeAttribute(set, node);
  }
}

/** The attributes of one structure, each checked alone. @param isCommon they are for both keys of a pair */
function givenAttributes(structure: Structure | undefined, type: ObjectType, isCommon: boolean): AttributeSet {
  const set = new AttributeSet();
  const given = AttributeSet.of(structure);
  for (const each of given.tags()) requireRoom(given, each, 0);
  for (const node of given.nodes()) {
    const checked = requireUsable(checkAttribute(node, type));
    if (!mayClientSet(node.tag) || isOfServer(node)) throw readOnly(node.tag);
    requireNewValue(checked);
    // Clients repeat here the object type that the payload gives. For both keys of a pair they give that of the private key.
    if (node.tag !== TAG.ObjectType) takeAttribute(set, checked);
    else if (!isCommon) requireType(node, type);
  }
  return set;
}

/** @throws Refusal InvalidField */
export function requireType(attribute: Node, type: ObjectType): void {
  if (attribute.value !== type) throw new Refusal('InvalidField', 'the attribute ObjectType does not match the type of the object');
}

/**
 * Object types that KMIP 1.x creates and registers only with a mask (specification 1.4 tables 165, 168 and 171).
 * The profiles register all others without one.
 */
const MASKED: ReadonlySet<number> = new Set([ENUM.ObjectType.SymmetricKey, ENUM.ObjectType.PrivateKey, ENUM.ObjectType.PublicKey]);

/**
 * In KMIP 2.x, the server supplies a missing mask (specification 2.1 table 28).
 * @param given attributes of the request that are for this object
 * @throws Refusal InvalidMessage if the version requires a CryptographicUsageMask and none is given
 */
export function requireMask({ major, minor }: Version, type: number, given: readonly Node[], operation: OperationName): void {
  if (major !== 1 || !MASKED.has(type) || given.some(({ tag }) => tag === TAG.CryptographicUsageMask)) return;
  throw new Refusal(
    'InvalidMessage',
    `missing field: ${nameOfAttribute(TAG.CryptographicUsageMask)}, which ${operation} of KMIP ${major}.${minor} requires for a ${nameOf('ObjectType', type)}`,
  );
}

/** The attributes in these members of a payload. */
export function attributesIn(request: Structure, ...tags: readonly number[]): readonly Node[] {
  return tags.flatMap((tag) => structureOf(request, tag)?.value ?? []);
}

/**
 * All values of an attribute are different (KMIP 2.1 section 4): one that is given twice is there once.
 * @param node as checkAttribute returns it @throws Refusal if the object already has the attribute, or has too many
 */
export function takeAttribute(set: AttributeSet, node: Node): void {
  requireRoom(set, node.tag);
  const reference = referenceTo(node);
  const values = valuesOf(set, reference);
  if (values.length > 0 && (!isMultiple(node.tag) || isTags(reference)))
    throw new Refusal('AttributeSingleValued', `${tagName(node.tag)} can have only one value`);
  if (!values.some((other) => sameNode(other.node, node))) set.add(node);
  else if (node.tag === TAG.Name) throw new Refusal('NonUniqueNameAttribute', 'DENIED: the request gives the same Name twice');
}

/** Object types to which a usage mask applies. */
const USED: ReadonlySet<number> = new Set([
  ENUM.ObjectType.SymmetricKey,
  ENUM.ObjectType.PrivateKey,
  ENUM.ObjectType.PublicKey,
  ENUM.ObjectType.SecretData,
  ENUM.ObjectType.SplitKey,
]);

/** The CryptographicAlgorithm among the given attributes. */
export function givenAlgorithm(attributes: ReadonlyAttributes): CryptographicAlgorithm | undefined {
  const node = attributes.first(TAG.CryptographicAlgorithm);
  return node?.type === TYPE.Enumeration ? nameOf('CryptographicAlgorithm', node.value) : undefined;
}

/** The CryptographicLength among the given attributes, in bits. */
export function givenLength(attributes: ReadonlyAttributes): number | undefined {
  const node = attributes.first(TAG.CryptographicLength);
  return node?.type === TYPE.Integer ? node.value : undefined;
}

/** Of new secret data, in bits, wherever it is made. @param given CryptographicLength @throws Refusal InvalidField */
export function secretDataLength(given: number | undefined): number {
  const bits = given ?? 256;
  if (bits < 8 || bits > 65_536 || bits % 8 !== 0)
    throw new Refusal('InvalidField', `the cryptographic length of secret data must be a multiple of 8 from 8 to 65536, not ${bits}`);
  return bits;
}

/** The KeyFormatType in which the key is created. */
export function givenFormat(attributes: ReadonlyAttributes): KeyFormatType | undefined {
  const node = attributes.first(TAG.KeyFormatType);
  return node?.type === TYPE.Enumeration ? nameOf('KeyFormatType', node.value) : undefined;
}

/** The RecommendedCurve in the CryptographicDomainParameters among the given attributes. */
export function givenCurve(attributes: ReadonlyAttributes): RecommendedCurve | undefined {
  const domain = attributes.first(TAG.CryptographicDomainParameters);
  const node = domain?.type === TYPE.Structure ? domain.value.find(({ tag }) => tag === TAG.RecommendedCurve) : undefined;
  return node?.type === TYPE.Enumeration ? nameOf('RecommendedCurve', node.value) : undefined;
}

/** @throws Refusal if the configuration of the server excludes the algorithm */
export function requireAllowed(algorithm: CryptographicAlgorithm, allowed: readonly string[]): void {
  if (allowed.length > 0 && !allowed.includes(algorithm)) throw new Refusal('InvalidField', `this server is not configured to use ${algorithm}`);
}
