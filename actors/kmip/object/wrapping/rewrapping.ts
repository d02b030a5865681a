// After the rotation of a wrapping key: rewraps with the new key the objects that are stored wrapped by the old one.
import type { CryptographicParameters } from '../../../../crypto/parameters.ts';
import { refusalOf } from '../../../../kmip/crypto-refusal.ts';
import { keyBlockOf, lacksKeyValue } from '../../../../kmip/key-block.ts';
import { type Structure, structure, text } from '../../../../kmip/ttlv/node.ts';
import { structureOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { ObjectTransaction } from '../../operation-context.ts';
import { wrappingKeyOf } from '../index-terms.ts';
import { type Key, type KeyContext, keyOf } from '../key.ts';
import { markChanged } from '../life/lifecycle.ts';
import type { Draft } from '../managed-object.ts';
import { fingerprint, type Outside } from '../outside.ts';
import { setWrapper } from '../wrapping-policy.ts';
import { unwrapWith, wrapWith } from './wrapping.ts';
import { moveWrappingLink } from './wrapping-link.ts';
import { ownParameters, withOwnParameters } from './wrapping-parameters.ts';

/** An object that is stored wrapped by a key, or is returned wrapped by it. */
interface Dependant {
  readonly object: Draft;
  /** The rewrapped content; undefined if only the name of the wrapping key changes. */
  readonly content: Structure | undefined;
}

/**
 * Rewraps the objects of one owner, before anything is written. Other owners that use the key by a grant rewrap their objects themselves.
 * Skips content that the old key does not unwrap: a client may register anything as wrapped, and that must not make the rotation fail.
 */
export async function findDependants(tx: ObjectTransaction, old: Draft, replacement: Draft, ctx: KeyContext, outside: Outside): Promise<Dependant[]> {
  const found: Dependant[] = [];
  const works = new Map<string, () => Promise<Structure | undefined>>();
  const wrapped: Draft[] = [];
  const keys = `${fingerprint(old)} ${fingerprint(replacement)}`;
  for (const id of await tx.findWrapped(old)) {
    const object = await tx.readWhole(id);
    // The index has no MAC, so it is only a hint about where to look.
    if (!object?.content || object.owner !== old.owner || wrappingKeyOf(object) !== old.id) continue;
    const { content } = object;
    const wrapping = lacksKeyValue(content) ? undefined : keyBlockOf(content).wrapping;
    if (!wrapping) {
      found.push({ object, content: undefined });
      continue;
    }
    wrapped.push(object);
    const specification = withOwnParameters(specificationOf(wrapping, replacement.id), replacement);
    const information = structureOf(wrapping, TAG.EncryptionKeyInformation);
    const own = information && ownParameters(information, old);
    works.set(`${keys} ${fingerprint(object)}`, () => rewrap(content, keyOf(old, ctx), own, keyOf(replacement, ctx), specification));
  }
  for (const [i, content] of outside.results(works).entries()) if (content) found.push({ object: wrapped[i] as Draft, content });
  return found;
}

export async function updateDependants(tx: ObjectTransaction, dependants: readonly Dependant[], replacement: Draft, now: number): Promise<void> {
  for (const { object, content } of dependants) {
    if (content) {
      object.content = content;
      moveWrappingLink(object, replacement.id);
    } else setWrapper(object, replacement.id);
    markChanged(object, now);
    await tx.update(object);
  }
}

/** @param own the parameters of the old key, if only they say how it wraps @returns undefined if the old key does not unwrap the content */
async function rewrap(
  content: Structure,
  old: Key,
  own: CryptographicParameters | undefined,
  replacement: Key,
  specification: Structure,
): Promise<Structure | undefined> {
  let plain: Structure;
  try {
    plain = await unwrapWith(old, content, own);
  } catch (error) {
    if (refusalOf(error)) return undefined;
    throw error;
  }
  return wrapWith(replacement, plain, specification);
}

/** A KeyWrappingSpecification that produces the same KeyWrappingData with another key, in the order of the specification, on which clients rely. */
function specificationOf(wrapping: Structure, id: string): Structure {
  const only = (tag: number, { value }: Structure) => value.filter((member) => member.tag === tag);
  const information = structureOf(wrapping, TAG.EncryptionKeyInformation);
  return structure(TAG.KeyWrappingSpecification, [
    ...only(TAG.WrappingMethod, wrapping),
    structure(TAG.EncryptionKeyInformation, [text(TAG.UniqueIdentifier, id), ...(information ? only(TAG.CryptographicParameters, information) : [])]),
    ...only(TAG.EncodingOption, wrapping),
  ]);
}
