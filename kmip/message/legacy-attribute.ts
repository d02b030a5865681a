// Converts attributes between KMIP 1.x (name and index) and 2.x (tag); custom attributes become those of vendors `x` and `y` (specification 2.1 section 4.60).
import { attributeByName, isAttributeIn, nameOfAttribute } from '../attribute/rules.ts';
import { Refusal } from '../refusal.ts';
import { enumeration, integer, type Node, type Structure, structure, TYPE, text } from '../ttlv/node.ts';
import { child, integerOf, required, textOf } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';
import { LAST_OF_1, type Version } from '../version.ts';
import { payloadMembers, requireMembers } from './payload-members.ts';
import { spoken } from './version-values.ts';

/** A client makes `x-` attributes such as `x-Barcode`; the server makes `y-` attributes. */
const CUSTOM = /^([xy])-(.+)$/s;

const OF_ATTRIBUTE = payloadMembers(['AttributeName', 'AttributeIndex', 'AttributeValue']);

/**
 * @param version of the message; without one, any of 1.x
 * @returns the attribute, preceded by its AttributeIndex if it has one
 * @throws Refusal InvalidMessage, InvalidField
 */
export function upgradeAttribute(node: Node, version: Version = LAST_OF_1): Node[] {
  if (node.type !== TYPE.Structure) throw new Refusal('InvalidMessage', 'Attribute must be a Structure');
  if (child(node, TAG.VendorIdentification)) return [node];
  requireMembers('Attribute', OF_ATTRIBUTE, node);
  const name = required(textOf(node, TAG.AttributeName), TAG.AttributeName);
  const value = required(child(node, TAG.AttributeValue), TAG.AttributeValue);
  const index = integerOf(node, TAG.AttributeIndex);
  return [...(index === undefined ? [] : [integer(TAG.AttributeIndex, index)]), nameAttribute(name, value, version)];
}

/** As `upgradeAttribute`. */
export const upgradeAttributes = (nodes: readonly Node[], version: Version): Node[] => nodes.flatMap((node) => upgradeAttribute(node, version));

function nameAttribute(name: string, value: Node, version: Version): Node {
  const custom = CUSTOM.exec(name);
  if (custom) return structure(TAG.Attribute, [text(TAG.VendorIdentification, custom[1] ?? ''), text(TAG.AttributeName, custom[2] ?? ''), value]);
  const tag = tagIn(version, name);
  if (tag === undefined) throw new Refusal('InvalidField', `${spoken(version)} has no attribute ${name}; the name of a custom attribute begins with x-`);
  return { ...value, tag } as Node;
}

function tagIn(version: Version, name: string): number | undefined {
  const tag = attributeByName(name);
  return tag !== undefined && isAttributeIn(tag, version) ? tag : undefined;
}

/** Leaves out attributes that KMIP 1.x has no name for. @param nodes attributes, each preceded by its AttributeIndex if it has one */
export function downgradeAttributes(nodes: readonly Node[]): Structure[] {
  const attributes: Structure[] = [];
  let index: Node | undefined;
  for (const node of nodes) {
    if (node.tag === TAG.AttributeIndex) {
      index = node;
      continue;
    }
    const name = nameIn1(node);
    const value = node.tag === TAG.Attribute && node.type === TYPE.Structure ? child(node, TAG.AttributeValue) : node;
    if (name !== undefined && value)
      attributes.push(structure(TAG.Attribute, [text(TAG.AttributeName, name), ...(index ? [index] : []), { ...value, tag: TAG.AttributeValue } as Node]));
    index = undefined;
  }
  return attributes;
}

function nameIn1(node: Node): string | undefined {
  if (node.tag !== TAG.Attribute || node.type !== TYPE.Structure) return nameOfAttribute(node.tag);
  return customName(textOf(node, TAG.VendorIdentification), textOf(node, TAG.AttributeName));
}

function customName(vendor: string | undefined, name: string | undefined): string | undefined {
  return (vendor === 'x' || vendor === 'y') && name !== undefined ? `${vendor}-${name}` : undefined;
}

/** @param node AttributeName @returns AttributeReference; for a name that the version does not have, a reference that matches no attribute */
export function upgradeReference(node: Node, version: Version): Node {
  if (node.type !== TYPE.TextString) throw new Refusal('InvalidMessage', 'AttributeName must be a TextString');
  const tag = tagIn(version, node.value);
  if (tag !== undefined) return enumeration(TAG.AttributeReference, tag);
  const [, vendor = '', name = node.value] = CUSTOM.exec(node.value) ?? [];
  return structure(TAG.AttributeReference, [text(TAG.VendorIdentification, vendor), text(TAG.AttributeName, name)]);
}

/** @param node AttributeReference @returns AttributeName; undefined if KMIP 1.x has no name for the attribute */
export function downgradeReference(node: Node): Node | undefined {
  const name =
    node.type === TYPE.Structure
      ? customName(textOf(node, TAG.VendorIdentification), textOf(node, TAG.AttributeName))
      : node.type === TYPE.Enumeration
        ? nameOfAttribute(node.value)
        : undefined;
  return name === undefined ? undefined : text(TAG.AttributeName, name);
}
