// Attributes for some kinds of new objects, as a Constraint and an ObjectDefaults hold them (KMIP specification 2.1 sections 7.6 and 7.22).
import { checkAttribute, checkForm } from '../../../kmip/attribute/rules.ts';
import type { ReadonlyAttributes } from '../../../kmip/attribute/set.ts';
import type { ObjectType } from '../../../kmip/object-type.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { binarySize } from '../../../kmip/ttlv/binary.ts';
import { type Node, type Structure, structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { child, children, codeOf, nameOf, required, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';

export interface ScopedAttributes {
  /** Codes of the object types that it is for; undefined for all. */
  readonly types: readonly number[] | undefined;
  /** Values of ObjectGroup: it is for objects in one of them; undefined for all objects. */
  readonly groups: readonly string[] | undefined;
  readonly attributes: readonly Node[];
}

/** Each new object is held against all of them. */
const MOST = 64;
const MOST_BYTES = 16_384;

/** @param list of structures with a type, or types, of objects, groups and attributes, as the store or a checked request has it */
export function scopedAttributes(list: Structure): readonly ScopedAttributes[] {
  return list.value.map((each) => {
    const scope = each as Structure;
    const single = codeOf(scope, TAG.ObjectType);
    const types = structureOf(scope, TAG.ObjectTypes);
    const groups = structureOf(scope, TAG.ObjectGroups);
    return {
      types: single === undefined ? types?.value.map(({ value }) => value as number) : [single],
      groups: groups?.value.map(({ value }) => value as string),
      attributes: structureOf(scope, TAG.Attributes)?.value ?? [],
    };
  });
}

/**
 * Those that are for a new object. Of those for its groups and those for all objects, its groups decide.
 * @param attributes of the object, of which its groups are read
 */
export function pertaining(all: readonly ScopedAttributes[], type: number, attributes: ReadonlyAttributes): readonly ScopedAttributes[] {
  const ofType = all.filter(({ types }) => types === undefined || types.includes(type));
  const groups = new Set(attributes.all(TAG.ObjectGroup).map(({ node }) => node.value));
  const ofGroups = ofType.filter((each) => each.groups?.some((group) => groups.has(group)));
  return ofGroups.length > 0 ? ofGroups : ofType.filter((each) => each.groups === undefined);
}

/**
 * @param list as a client sent it
 * @returns the same with each attribute in the form in which the server stores it
 * @throws Refusal for too many, for something that is no object type or group, and for what `checkAttribute` refuses
 */
export function checkedScopes(list: Structure): Structure {
  if (list.value.length > MOST) throw new Refusal('ServerLimitExceeded', `at most ${MOST} of them are kept, and the request has ${list.value.length}`);
  if (binarySize(list) > MOST_BYTES) throw new Refusal('ServerLimitExceeded', `at most ${MOST_BYTES} bytes of them are kept`);
  return structure(list.tag, list.value.map(checkedScope));
}

function checkedScope(node: Node): Structure {
  const scope = required(node.type === TYPE.Structure ? node : undefined, node.tag);
  if (child(scope, TAG.ObjectType) && child(scope, TAG.ObjectTypes)) throw new Refusal('InvalidMessage', 'give an ObjectType or ObjectTypes, not both');
  const listed = structureOf(scope, TAG.ObjectTypes);
  const types = [...children(scope, TAG.ObjectType), ...(listed?.value ?? [])].map(({ tag, type, value }) => {
    if (type !== TYPE.Enumeration || typeof value !== 'number') throw new Refusal('InvalidMessage', 'an ObjectType is an Enumeration');
    nameOf('ObjectType', value);
    return required(tag === TAG.ObjectType ? value : undefined, TAG.ObjectType) as ObjectType;
  });
  for (const { type } of structureOf(scope, TAG.ObjectGroups)?.value ?? [])
    if (type !== TYPE.TextString) throw new Refusal('InvalidMessage', 'an ObjectGroup is a TextString');
  const attributes = structureOf(scope, TAG.Attributes);
  const checked = attributes?.value.map((each) => {
    for (const type of types) checkAttribute(each, type);
    return checkForm(each);
  });
  return structure(
    scope.tag,
    scope.value.map((member) => (member === attributes && checked ? structure(TAG.Attributes, checked) : member)),
  );
}
