// Checks the name by which an object was looked up: the index of tags and keysets has no MAC, so it is only a hint.
import { parseTags } from '../../../../kmip/tags.ts';
import { keysetOf, tagsOf } from '../index-terms.ts';
import type { ObjectDescription } from '../managed-object.ts';
import { keysetAddress } from './identifier.ts';

/** Whether an object really has the tags, or belongs to the keyset, by which it was looked up. */
export function isCalled(object: ObjectDescription, name: string): boolean {
  if (!name.startsWith('[')) return keysetOf(object) === (keysetAddress(name)?.name ?? name);
  const tags = new Set(tagsOf(object));
  return parseTags(name)?.every((tag) => tags.has(tag)) ?? false;
}
