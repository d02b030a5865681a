// Attributes inside the KeyValue of a key: the object inherits them unless the request sets them; they leave with the material (KMIP 1.4 section 2.1.4).
import { isOfServer, referenceTo, sameReference } from '../../../../kmip/attribute/reference.ts';
import { attributeByName, checkAttribute, isMultiple, mayClientSet } from '../../../../kmip/attribute/rules.ts';
import { refusalOf } from '../../../../kmip/crypto-refusal.ts';
import { keyBlockOf, lacksKeyValue } from '../../../../kmip/key-block.ts';
import { mapKeyValue } from '../../../../kmip/key-value.ts';
import type { ObjectType } from '../../../../kmip/object-type.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { type Node, type Structure, structure } from '../../../../kmip/ttlv/node.ts';
import { structureOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { type Viewer, viewAttributes } from '../attribute-view.ts';
import type { ObjectDescription } from '../managed-object.ts';
import { withTemplateName } from './template.ts';

/** Attributes that identify the object, or other objects, on the server that it came from. */
const OF_ELSEWHERE: ReadonlySet<number> = new Set([TAG.UniqueIdentifier, TAG.ObjectType, TAG.Link]);

/** @returns the payload; its attributes now include those that the object takes over from its KeyValue */
export function withEncapsulated(request: Structure, content: Structure, type: ObjectType): Structure {
  if (content.tag === TAG.Template) return withTemplateName(request, content);
  if (!structureOf(content, TAG.KeyBlock) || lacksKeyValue(content)) return request;
  const own = structureOf(request, TAG.Attributes)?.value ?? [];
  const taken: Node[] = [];
  for (const node of keyBlockOf(content).attributes) {
    const isSaid = own.some((other) => isSame(other, node)) || (!isMultiple(node.tag) && taken.some((other) => isSame(other, node)));
    if (!isSaid && !OF_ELSEWHERE.has(node.tag) && mayClientSet(node.tag) && !isOfServer(node) && isFit(node, type)) taken.push(node);
  }
  if (taken.length === 0) return request;
  return structure(request.tag, [...request.value.filter(({ tag }) => tag !== TAG.Attributes), structure(TAG.Attributes, [...own, ...taken])]);
}

const isSame = (one: Node, other: Node): boolean => one.tag === other.tag && sameReference(referenceTo(one), referenceTo(other));

/** Attributes that this server does not support stay inside the KeyValue. */
function isFit(node: Node, type: ObjectType): boolean {
  try {
    checkAttribute(node, type);
    return true;
  } catch (error) {
    if (refusalOf(error)) return false;
    throw error;
  }
}

/**
 * Adds to the content the attributes that a client wants to be wrapped with the key material.
 * @param names AttributeName of KeyWrappingSpecification, as KMIP 1.x names attributes
 * @throws Refusal ItemNotFound for an attribute that the object does not have
 */
export function withNamedAttributes(content: Structure, names: readonly string[], object: ObjectDescription, viewer: Viewer): Structure {
  if (names.length === 0) return content;
  const all = viewAttributes(object, viewer);
  const wanted = names.flatMap((name) => {
    const found = all.filter((node) => isNamed(node, name));
    if (found.length === 0) throw new Refusal('ItemNotFound', `the object has no attribute ${name} to wrap with it`);
    return found;
  });
  return mapKeyValue(content, (value) => [...value.filter(({ tag }) => tag !== TAG.Attributes), structure(TAG.Attributes, wanted)]);
}

function isNamed(node: Node, name: string): boolean {
  const tag = attributeByName(name);
  if (tag !== undefined) return node.tag === tag;
  const { vendor, name: own } = referenceTo(node);
  return vendor !== undefined && `${vendor}-${own}` === name;
}
