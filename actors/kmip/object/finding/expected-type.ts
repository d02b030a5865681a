// ExpectedObjectType, an extension next to the identifier of an object: refuses an object of another type.
import { Refusal } from '../../../../kmip/refusal.ts';
import { type Node, type Structure, structure } from '../../../../kmip/ttlv/node.ts';
import { child, codeOf, nameOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { ObjectDescription } from '../managed-object.ts';

/** @throws Refusal InvalidObjectType if the named object is of another type; InvalidField for an unknown type */
export function requireExpected(payload: Structure, { id, type }: ObjectDescription): void {
  const expected = codeOf(payload, TAG.ExpectedObjectType);
  if (expected === undefined) return;
  const name = nameOf('ObjectType', expected);
  if (expected !== type) throw new Refusal('InvalidObjectType', `the object ${id} is a ${nameOf('ObjectType', type)}, but the request expects a ${name}`);
}

/** For a payload that names several objects: a payload with one of them, which keeps the type that is expected of each. */
export function oneOf(payload: Structure, identifier: Node): Structure {
  const expected = child(payload, TAG.ExpectedObjectType);
  return structure(payload.tag, expected ? [identifier, expected] : [identifier]);
}

/** For requests that may omit the object, and do. @throws Refusal InvalidField */
export function requireNoExpectation(payload: Structure): void {
  if (child(payload, TAG.ExpectedObjectType))
    throw new Refusal('InvalidField', 'ExpectedObjectType needs an object, but the request names none; name one or leave out ExpectedObjectType');
}
