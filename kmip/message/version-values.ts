// Restricts enumeration values and mask bits to the version of the message: refuses unknown ones in requests, and removes them from responses.
import { isAttributeIn } from '../attribute/rules.ts';
import { Refusal, type ResultReason } from '../refusal.ts';
import { codeName, enumerationNames, enumOf } from '../ttlv/enumeration-of.ts';
import { MASK } from '../ttlv/mask.ts';
import { tagName } from '../ttlv/names.ts';
import { integer, type Node, type Structure, structure, TYPE } from '../ttlv/node.ts';
import { enumerationValueExists, tagExists, usageBits } from '../ttlv/since.ts';
import { TAG } from '../ttlv/tag.ts';
import type { Version } from '../version.ts';

const USAGE_OF_1 = usageBits({ major: 1, minor: 0 });
const { Unrestricted, FPEEncrypt, FPEDecrypt, Encrypt, Decrypt } = MASK.CryptographicUsageMask;

function isCodeIn({ tag, value }: Node, version: Version): boolean {
  const name = enumOf(tag);
  return name === undefined || enumerationValueExists(name, value as number, version);
}

/** @param nodes of a request, in the form of 2.1 @throws Refusal InvalidField for a value or bit that the version does not have */
export function checkValues(nodes: readonly Node[], version: Version): void {
  for (const node of nodes) {
    if (node.type === TYPE.Structure) checkValues(node.value, version);
    // A Query function that the version does not have is not an error: the response leaves it out.
    else if (node.type === TYPE.Enumeration && node.tag !== TAG.QueryFunction && !isCodeIn(node, version))
      throw new Refusal('InvalidField', `${spoken(version)} has no ${tagName(node.tag)} ${codeName(node.value, enumerationNames(node.tag))}`);
    else if (node.type === TYPE.Integer && node.tag === TAG.CryptographicUsageMask) checkUsage(node.value, version);
  }
}

export const spoken = ({ major, minor }: Version): string => `KMIP ${major}.${minor}`;

/** @param tag of an attribute that is to change @throws Refusal with the reason if the version does not have it */
export function checkReference(tag: number, version: Version, reason: ResultReason): void {
  if (!tagExists(tag, version)) throw new Refusal(reason, `${spoken(version)} has no ${tagName(tag)}`);
}

/** Some clients of 2.x, such as PyKMIP, still send bits of 1.x that 2.x reserves. These bits are kept for clients of 1.x. */
function checkUsage(mask: number, version: Version): void {
  const unknown = mask & ~(usageBits(version) | USAGE_OF_1);
  if (unknown !== 0) throw new Refusal('InvalidField', `${spoken(version)} has no bits ${codeName(unknown >>> 0, undefined)} in CryptographicUsageMask`);
}

/**
 * Leaves out an entire attribute if the version does not have it or its value; in other structures, leaves out only the unknown members.
 * @param nodes of a response, in the form of 2.1
 * @throws Refusal InvalidObjectType, KeyFormatTypeNotSupported if the version cannot represent the object at all
 */
export function knownValues(nodes: readonly Node[], version: Version): readonly Node[] {
  // Mostly the version knows everything, and then nothing is copied.
  if (areWhollyKnown(nodes, version)) return nodes;
  const known: Node[] = [];
  for (const node of nodes) addKnown(known, node, version);
  return known;
}

function areWhollyKnown(nodes: readonly Node[], version: Version): boolean {
  for (const node of nodes) if (!isWhollyKnown(node, version)) return false;
  return true;
}

function isWhollyKnown(node: Node, version: Version): boolean {
  if (node.type === TYPE.Enumeration) return isCodeIn(node, version);
  if (node.type === TYPE.Integer) return node.tag !== TAG.CryptographicUsageMask || usageIn(node.value, version) === node.value;
  if (node.type !== TYPE.Structure) return true;
  const isSet = node.tag === TAG.Attributes;
  for (const member of node.value)
    if ((isSet && member.tag !== TAG.AttributeIndex && !isAttributeIn(member.tag, version)) || !isWhollyKnown(member, version)) return false;
  return true;
}

function addKnown(known: Node[], node: Node, version: Version): void {
  if (node.type === TYPE.Structure) known.push(node.tag === TAG.Attributes ? knownAttributes(node, version) : structure(node.tag, knownMembers(node, version)));
  else if (node.type === TYPE.Integer && node.tag === TAG.CryptographicUsageMask) known.push(integer(node.tag, usageIn(node.value, version)));
  else if (node.type !== TYPE.Enumeration || isCodeIn(node, version)) known.push(node);
  else if (node.tag === TAG.ObjectType) throw new Refusal('InvalidObjectType', `${spoken(version)} has no object type ${describeCode(node)}`);
}

const describeCode = ({ tag, value }: Node): string => codeName(value as number, enumerationNames(tag));

function knownMembers({ tag, value }: Structure, version: Version): readonly Node[] {
  const known = knownValues(value, version);
  if (tag !== TAG.KeyBlock || known.length === value.length) return known;
  const format = value.find((node) => node.tag === TAG.KeyFormatType);
  if (format && !isCodeIn(format, version))
    throw new Refusal('KeyFormatTypeNotSupported', `${spoken(version)} has no key format ${describeCode(format)}, in which this key is stored`);
  // Section 3.1: the algorithm and the length must be present together or not at all.
  return known.some((node) => node.tag === TAG.CryptographicAlgorithm) ? known : known.filter((node) => node.tag !== TAG.CryptographicLength);
}

function knownAttributes({ tag, value }: Structure, version: Version): Structure {
  const known: Node[] = [];
  let index: Node | undefined;
  for (const node of value) {
    if (node.tag === TAG.AttributeIndex) {
      index = node;
      continue;
    }
    if (isAttributeIn(node.tag, version) && isWhole(node, version)) {
      if (index) known.push(index);
      addKnown(known, node, version);
    }
    index = undefined;
  }
  return structure(tag, known);
}

function isWhole(node: Node, version: Version): boolean {
  if (node.type === TYPE.Structure) return node.value.every((member) => isWhole(member, version));
  return node.type !== TYPE.Enumeration || isCodeIn(node, version);
}

/** In 1.x, Unrestricted becomes every bit that 1.x has; FPEEncrypt and FPEDecrypt become Encrypt and Decrypt. */
export function usageIn(mask: number, version: Version): number {
  if (version.major >= 2) return mask & usageBits(version);
  if (mask & Unrestricted) return usageBits(version);
  return (mask | (mask & FPEEncrypt ? Encrypt : 0) | (mask & FPEDecrypt ? Decrypt : 0)) & usageBits(version);
}
