// Adds to a request the attributes that the caller's defaults have and the request lacks (KMIP specification 2.1 sections 6.1.53 and 7.11).
import { isOfServer, referenceTo, sameReference } from '../../../kmip/attribute/reference.ts';
import { mayClientSet, readOnly } from '../../../kmip/attribute/rules.ts';
import { AttributeSet } from '../../../kmip/attribute/set.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { type Node, type Structure, structure } from '../../../kmip/ttlv/node.ts';
import { structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { pertaining, type ScopedAttributes, scopedAttributes } from './scoped-attributes.ts';

/** What kind of key it is. These belong together: a length for one algorithm says nothing of another. */
const KIND: ReadonlySet<number> = new Set([TAG.CryptographicAlgorithm, TAG.CryptographicLength, TAG.CryptographicDomainParameters]);
const SIZE: readonly number[] = [TAG.CryptographicLength, TAG.CryptographicDomainParameters];

export interface Defaulted {
  readonly type: number;
  /** Tags of the structures that hold attributes of the object; what is missing goes into the first. */
  readonly tags: readonly [number, ...number[]];
  /** Whether the client brings the object, which then tells itself what kind of key it is. */
  readonly isBrought?: true;
}

/** @returns the request itself if nothing is added */
export function withDefaults(request: Structure, defaults: readonly ScopedAttributes[], { type, tags, isBrought }: Defaulted): Structure {
  if (defaults.length === 0) return request;
  const given = new AttributeSet();
  for (const tag of tags) for (const node of structureOf(request, tag)?.value ?? []) given.add(node);
  const added: Node[] = [];
  for (const { attributes } of pertaining(defaults, type, given)) {
    const kind = isBrought ? [] : kindFrom(given, attributes);
    const others = attributes.filter(({ tag }) => !KIND.has(tag));
    const before = given.nodes().map(referenceTo);
    for (const node of [...kind, ...others]) {
      if (before.some((known) => sameReference(known, referenceTo(node)))) continue;
      given.add(node);
      added.push(node);
    }
  }
  return added.length === 0 ? request : withAttributes(request, tags[0], added);
}

/** What the defaults add to the kind of key that the client has begun to describe: nothing if it is of another algorithm, no size if it has one. */
function kindFrom(given: AttributeSet, attributes: readonly Node[]): readonly Node[] {
  const kind = attributes.filter(({ tag }) => KIND.has(tag));
  const algorithms = [given.first(TAG.CryptographicAlgorithm), kind.find(({ tag }) => tag === TAG.CryptographicAlgorithm)];
  if (algorithms.every((each) => each !== undefined) && algorithms[0]?.value !== algorithms[1]?.value) return [];
  return SIZE.some((tag) => given.has(tag)) ? kind.filter(({ tag }) => tag === TAG.CryptographicAlgorithm) : kind;
}

function withAttributes(request: Structure, tag: number, added: readonly Node[]): Structure {
  const held = structureOf(request, tag);
  const whole = structure(tag, [...(held?.value ?? []), ...added]);
  return structure(request.tag, held ? request.value.map((member) => (member === held ? whole : member)) : [...request.value, whole]);
}

/** @param list of ObjectDefaults, checked as scopes @throws Refusal AttributeReadOnly, InvalidField for what no client may give, or that is for one object only */
export function requireDefaults(list: Structure): void {
  for (const { types, attributes } of scopedAttributes(list)) {
    if (types === undefined) throw new Refusal('InvalidMessage', 'missing field: ObjectType, of the objects that the defaults are for');
    for (const node of attributes) {
      if (!mayClientSet(node.tag) || isOfServer(node)) throw readOnly(node.tag);
      if (node.tag === TAG.Name || node.tag === TAG.ObjectType)
        throw new Refusal('InvalidField', 'a Name and an ObjectType are given for each object: they have no default');
    }
  }
}
