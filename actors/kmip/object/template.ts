// Templates of KMIP 1.x: named sets of attributes that new objects are given by reference (specification 1.4 section 2.2.6).
import { Refusal } from '../refusal.ts';
import { tagName } from '../ttlv/names.ts';
import type { Node, Structure } from '../ttlv/node.ts';
import { structureOf } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';
import { checkForm, mayClientSet, readOnly } from './attribute-rules.ts';

/** The attributes that a template gives. @param content of a template, in the shape of 2.1: its attributes in one structure */
export function attributesOf(content: Structure): readonly Node[] {
  return structureOf(content, TAG.Attributes)?.value ?? [];
}

/** @throws Refusal for an attribute that no client may set, that is malformed, or that belongs to one object alone */
export function requireTemplate(content: Structure): void {
  const attributes = attributesOf(content).filter(({ tag }) => tag !== TAG.AttributeIndex);
  if (attributes.length === 0) throw new Refusal('InvalidField', 'a template has at least one attribute');
  for (const node of attributes) {
    // Section 11.4 of 1.4: the name of the template itself is given next to it, not in it.
    if (node.tag === TAG.Name || node.tag === TAG.UniqueIdentifier)
      throw new Refusal('InvalidField', `a template cannot give objects their ${tagName(node.tag)}`);
    if (!mayClientSet(node.tag)) throw readOnly(node.tag);
    checkForm(node);
  }
}
