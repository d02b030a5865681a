// References to attributes: by tag or, for vendor attributes, by vendor and name (KMIP specification 2.1 section 5.5).
import { Refusal } from '../refusal.ts';
import { enumeration, type Node, structure, TYPE, text } from '../ttlv/node.ts';
import { required, textOf } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';
import { isLinkOf, linkTypeOf } from './link-tag.ts';
import type { AttributeValue, ReadonlyAttributes } from './set.ts';

export interface AttributeReference {
  /** `TAG.Attribute` for a vendor attribute. */
  readonly tag: number;
  readonly vendor?: string;
  readonly name?: string;
}

/** The reference to the attribute that a value belongs to. */
export function referenceTo(node: Node): AttributeReference {
  if (node.tag !== TAG.Attribute || node.type !== TYPE.Structure) return { tag: node.tag };
  return { tag: node.tag, vendor: textOf(node, TAG.VendorIdentification) ?? '', name: textOf(node, TAG.AttributeName) ?? '' };
}

export function sameReference(a: AttributeReference, b: AttributeReference): boolean {
  return a.tag === b.tag && a.vendor === b.vendor && a.name === b.name;
}

/** @param node an AttributeReference: a tag, or a structure of vendor and name @throws Refusal InvalidMessage */
export function readReference(node: Node): AttributeReference {
  if (node.type === TYPE.Enumeration) return { tag: node.value };
  if (node.type !== TYPE.Structure) throw new Refusal('InvalidMessage', 'AttributeReference must be an Enumeration or a Structure');
  return {
    tag: TAG.Attribute,
    vendor: required(textOf(node, TAG.VendorIdentification), TAG.VendorIdentification),
    name: required(textOf(node, TAG.AttributeName), TAG.AttributeName),
  };
}

export function referenceNode({ tag, vendor, name }: AttributeReference): Node {
  if (vendor === undefined || name === undefined) return enumeration(TAG.AttributeReference, tag);
  return structure(TAG.AttributeReference, [text(TAG.VendorIdentification, vendor), text(TAG.AttributeName, name)]);
}

export function valuesOf(attributes: ReadonlyAttributes, reference: AttributeReference): readonly AttributeValue[] {
  const isLink = linkTypeOf(reference.tag) !== undefined;
  const values = attributes.all(isLink ? TAG.Link : reference.tag);
  return isLink || reference.tag === TAG.Attribute ? values.filter(({ node }) => isValueOf(reference, node)) : values;
}

/** Whether a value, in the form of 2.1, is one of the attribute. In KMIP 3.0 each type of link is an attribute. */
export function isValueOf(reference: AttributeReference, node: Node): boolean {
  return linkTypeOf(reference.tag) === undefined ? sameReference(referenceTo(node), reference) : isLinkOf(reference.tag, node);
}

/** Whether only servers make the attribute: clients neither give it to a new object nor change it (2.1 section 4.60, 1.4 section 3.39). */
export const isOfServer = (node: Node): boolean => referenceTo(node).vendor === 'y';

/** Whether the attribute contains the tags of an object. Custom attributes of KMIP 1.x (vendors `x` and `y`) with the same name do not. */
export function isTags({ tag, vendor, name }: AttributeReference): boolean {
  return tag === TAG.Attribute && name === 'tag' && vendor !== 'x' && vendor !== 'y';
}
