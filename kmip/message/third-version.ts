// Converts payloads between KMIP 3.0 and the form of 2.1, which operations work on: names of objects have types of their own, and links are attributes. The forms of 2.x are read too.
import { linkTagOf, linkTypeOf } from '../attribute/link-tag.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { enumeration, type NamingNode, type Node, structure, TYPE, text } from '../ttlv/node.ts';
import { textOf } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';

/** Structures whose members are attributes. */
const HOLDERS: ReadonlySet<number> = new Set([
  ...[TAG.Attributes, TAG.CommonAttributes, TAG.PrivateKeyAttributes, TAG.PublicKeyAttributes],
  ...[TAG.NewAttribute, TAG.CurrentAttribute],
]);

/** Texts of 2.1 that are identifiers in 3.0. */
const IDENTIFIERS: ReadonlySet<number> = new Set([
  ...[TAG.UniqueIdentifier, TAG.PrivateKeyUniqueIdentifier, TAG.PublicKeyUniqueIdentifier],
  ...[TAG.CertificateRequestUniqueIdentifier, TAG.ReplacedUniqueIdentifier],
]);

/** Whether the node names an object in one of the ways that only KMIP 3.0 has: their types have the last codes. */
export const isNaming = (node: Node): node is NamingNode => node.type >= TYPE.Identifier;

/** @param nodes of a request of 3.0 @returns the form of 2.1, with each NameReference left as it is: what it stands for is looked up by `resolveNames` */
export const fromThird = (nodes: readonly Node[]): readonly Node[] => nodes.map(upgrade);

function upgrade(node: Node): Node {
  if (node.type === TYPE.Identifier || node.type === TYPE.Reference) return text(node.tag, node.value);
  if (node.tag === TAG.AttributeReference && node.type === TYPE.Enumeration && node.value === TAG.GroupLink) return enumeration(node.tag, TAG.ObjectGroup);
  if (node.type !== TYPE.Structure) return node;
  return structure(node.tag, HOLDERS.has(node.tag) ? node.value.map(upgradeAttribute) : fromThird(node.value));
}

function upgradeAttribute(node: Node): Node {
  const linkType = linkTypeOf(node.tag);
  if (linkType !== undefined) return structure(TAG.Link, [enumeration(TAG.LinkType, linkType), { ...upgrade(node), tag: TAG.LinkedObjectIdentifier }]);
  // A group is known by its name alone.
  if (node.tag === TAG.GroupLink && isNaming(node)) return text(TAG.ObjectGroup, node.value);
  if (node.type !== TYPE.TextString) return upgrade(node);
  if (node.tag === TAG.Name) return structure(TAG.Name, [text(TAG.NameValue, node.value), enumeration(TAG.NameType, ENUM.NameType.UninterpretedTextString)]);
  if (node.tag === TAG.RotateName)
    return structure(TAG.RotateName, [text(TAG.RotateNameValue, node.value), enumeration(TAG.RotateNameType, ENUM.RotateNameType.UninterpretedTextString)]);
  return node;
}

/** @param nodes of a response, in the form of 2.1 */
export const toThird = (nodes: readonly Node[]): readonly Node[] => nodes.map(downgrade);

function downgrade(node: Node): Node {
  if (node.type === TYPE.TextString) return IDENTIFIERS.has(node.tag) ? naming(node.tag, TYPE.Identifier, node.value) : node;
  if (node.tag === TAG.AttributeReference && node.type === TYPE.Enumeration && node.value === TAG.ObjectGroup) return enumeration(node.tag, TAG.GroupLink);
  if (node.type !== TYPE.Structure) return node;
  return structure(node.tag, HOLDERS.has(node.tag) ? node.value.flatMap(downgradeAttribute) : toThird(node.value));
}

/** A link of a type that is no attribute of 3.0, such as that of a vendor, is left out. */
function downgradeAttribute(node: Node): Node[] {
  if (node.tag === TAG.ObjectGroup && node.type === TYPE.TextString) return [naming(TAG.GroupLink, TYPE.NameReference, node.value)];
  if (node.type !== TYPE.Structure) return [downgrade(node)];
  if (node.tag === TAG.Link) {
    const tag = linkTagOf(node);
    return tag === undefined ? [] : [naming(tag, TYPE.Reference, textOf(node, TAG.LinkedObjectIdentifier) ?? '')];
  }
  if (node.tag === TAG.Name) return [text(TAG.Name, textOf(node, TAG.NameValue) ?? '')];
  if (node.tag === TAG.RotateName) return [text(TAG.RotateName, textOf(node, TAG.RotateNameValue) ?? '')];
  return [downgrade(node)];
}

const naming = (tag: number, type: NamingNode['type'], value: string): NamingNode => ({ tag, type, value });
