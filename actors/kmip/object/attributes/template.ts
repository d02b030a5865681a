// Templates of KMIP 1.x: named sets of attributes that new objects receive by reference (specification 1.4 section 2.2.6).
import { requireNewValue } from '../../../../kmip/attribute/new-value.ts';
import { isOfServer } from '../../../../kmip/attribute/reference.ts';
import { checkForm, mayClientSet, readOnly } from '../../../../kmip/attribute/rules.ts';
import { sameNode } from '../../../../kmip/attribute/set.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { type Node, type Structure, structure } from '../../../../kmip/ttlv/node.ts';
import { structureOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';

/** The attributes in a template. @param content of a template, in the form of 2.1: its attributes in one structure */
export function attributesOf(content: Structure): readonly Node[] {
  return structureOf(content, TAG.Attributes)?.value ?? [];
}

/** @throws Refusal for an attribute that clients may not set, that is malformed, or that belongs to a single object */
export function requireTemplate(content: Structure): void {
  const attributes = attributesOf(content).filter(({ tag }) => tag !== TAG.AttributeIndex);
  if (attributes.length === 0) throw new Refusal('InvalidField', 'a template must have at least one attribute');
  for (const node of attributes) {
    if (node.tag === TAG.UniqueIdentifier) throw new Refusal('InvalidField', 'a template cannot contain a UniqueIdentifier');
    if (!mayClientSet(node.tag) || isOfServer(node)) throw readOnly(node.tag);
    requireNewValue(checkForm(node));
  }
}

/**
 * The payload with the Name from inside the template added. It is the Name of the template itself; clients of 1.0 give it inside, others next to it
 * (section 2.2.6 of 1.4).
 * @throws Refusal InvalidField if it differs from the Name next to the template
 */
export function withTemplateName(request: Structure, content: Structure): Structure {
  const inside = attributesOf(content).filter(({ tag }) => tag === TAG.Name);
  if (inside.length === 0) return request;
  const own = structureOf(request, TAG.Attributes)?.value ?? [];
  const beside = own.filter(({ tag }) => tag === TAG.Name);
  if (beside.length === 0)
    return structure(request.tag, [...request.value.filter(({ tag }) => tag !== TAG.Attributes), structure(TAG.Attributes, [...own, ...inside])]);
  if (inside.every((name) => beside.some((other) => sameNode(name, other)))) return request;
  throw new Refusal('InvalidField', 'the Name inside the template differs from the Name next to it; give the Name only once');
}
