// After the rotation of a wrapping key: what is stored wrapped by the old key is wrapped by the new one.
import { Refusal } from '../../../kmip/refusal.ts';
import { type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { ObjectTransaction, OperationContext } from '../operations/operation.ts';
import { wrappingKeyOf } from './index-terms.ts';
import { keyBlockOf, lacksKeyValue } from './key-material.ts';
import { changed } from './lifecycle.ts';
import type { Draft } from './managed-object.ts';
import { unwrapWith, wrapWith } from './wrapping.ts';
import { setWrapper } from './wrapping-policy.ts';

/** Of one owner: what others have wrapped by a key they were granted the use of is theirs to wrap anew. */
export async function rewrapDependants(tx: ObjectTransaction, old: Draft, replacement: Draft, { now }: OperationContext): Promise<void> {
  for (const id of await tx.wrappedBy(old)) {
    const dependant = await tx.readWhole(id);
    // The index, which has no MAC, only says where to look.
    if (!dependant?.content || dependant.owner !== old.owner || wrappingKeyOf(dependant) !== old.id) continue;
    const wrapping = lacksKeyValue(dependant.content) ? undefined : keyBlockOf(dependant.content).wrapping;
    if (!wrapping) setWrapper(dependant, replacement.id);
    else if (!rewrap(dependant, dependant.content, old, replacement, specificationOf(wrapping, replacement.id))) continue;
    changed(dependant, now);
    await tx.update(dependant);
  }
}

/** @returns false for what the old key does not open: what a client registered as wrapped nobody has opened, and no rotation may fail by it */
function rewrap(dependant: Draft, content: Structure, old: Draft, replacement: Draft, specification: Structure): boolean {
  let plain: Structure;
  try {
    plain = unwrapWith(old, content);
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
  dependant.content = wrapWith(replacement, plain, specification);
  return true;
}

/** The KeyWrappingSpecification that makes the same KeyWrappingData by another key, in the order of the specification, which clients rely on. */
function specificationOf(wrapping: Structure, id: string): Structure {
  const only = (tag: number, { value }: Structure) => value.filter((member) => member.tag === tag);
  const information = structureOf(wrapping, TAG.EncryptionKeyInformation);
  return structure(TAG.KeyWrappingSpecification, [
    ...only(TAG.WrappingMethod, wrapping),
    structure(TAG.EncryptionKeyInformation, [text(TAG.UniqueIdentifier, id), ...(information ? only(TAG.CryptographicParameters, information) : [])]),
    ...only(TAG.EncodingOption, wrapping),
  ]);
}
