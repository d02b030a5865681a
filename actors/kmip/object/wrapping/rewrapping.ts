// After the rotation of a wrapping key: rewraps with the new key the objects that are stored wrapped by the old one.
import type { CryptographicParameters } from '../../../../crypto/parameters.ts';
import { describe } from '../../../../kernel/fault.ts';
import { refusalOf } from '../../../../kmip/crypto-refusal.ts';
import { keyBlockOf, lacksKeyValue } from '../../../../kmip/key-block.ts';
import { type Structure, structure, text } from '../../../../kmip/ttlv/node.ts';
import { structureOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { ObjectTransaction, OperationContext } from '../../operation-context.ts';
import { linkedTo } from '../create.ts';
import { wrappingKeyOf } from '../index-terms.ts';
import { type Key, type KeyContext, keyOf } from '../key.ts';
import { markChanged } from '../life/lifecycle.ts';
import type { Draft } from '../managed-object.ts';
import { fingerprint, type Outside, withOutside } from '../outside.ts';
import { setWrapper } from '../wrapping-policy.ts';
import { noteDone, noteLeft, noteWorked } from './rewrapping-rows.ts';
import { unwrapWith, wrapWith } from './wrapping.ts';
import { moveWrappingLink } from './wrapping-link.ts';
import { ownParameters, withOwnParameters } from './wrapping-parameters.ts';

/** An object that is stored wrapped by a key, or is returned wrapped by it. */
interface Dependant {
  readonly object: Draft;
  /** The rewrapped content; undefined if only the name of the wrapping key changes. */
  readonly content: Structure | undefined;
}

/** Objects that one transaction rewraps: all other writers wait for it. */
const AT_ONCE = 50;

/** A key that has a replacement. */
export interface Rekeyed {
  readonly old: Draft;
  readonly replacement: Draft;
  /** Identifiers of objects that may be wrapped by the old key still, which opens them until it is destroyed. */
  readonly left: readonly string[];
}

/** What one transaction rewraps, and what is left for others. */
export function firstOf(ids: readonly string[]): readonly [readonly string[], readonly string[]] {
  return [ids.slice(0, AT_ONCE), ids.slice(AT_ONCE)];
}

/**
 * Rewraps the rest, after the replacement is stored: what cannot be done does not undo it, and a later run goes on with it.
 * @param isOver whether the rest is for a later run
 */
export async function rewrapLeft(ctx: OperationContext, rekeyed: Rekeyed, isOver = () => false): Promise<void> {
  const { old, left } = rekeyed;
  for (let [ids, rest] = firstOf(left); ids.length > 0; [ids, rest] = firstOf(rest))
    try {
      if (isOver()) return await ctx.change(({ tx }) => noteWorked(tx, old.id, AT_ONCE_AGAIN));
      await withOutside((outside) => ctx.change((tx) => rewrapPart(tx, ids, rest.length === 0, rekeyed, ctx, outside)));
    } catch (error) {
      // A batch that is one transaction ends with it.
      if (ctx.reader !== ctx.server.store) throw error;
      const problem = { object: old.id, left: ids.length + rest.length, error: describe(error) };
      return ctx.server.log.warn(problem, 'objects stay wrapped by a key that was replaced: do not destroy it; the server will try again');
    }
}

/** As the time of the last work: before any other. */
const AT_ONCE_AGAIN = 0;

async function rewrapPart(
  tx: ObjectTransaction,
  ids: readonly string[],
  isLast: boolean,
  { old, replacement }: Rekeyed,
  ctx: OperationContext,
  outside: Outside,
): Promise<void> {
  await updateDependants(tx, await findDependants(tx, ids, { old, replacement }, ctx, outside), replacement, ctx.now);
  if (!isLast) return noteWorked(tx.tx, old.id, ctx.server.now());
  await noteDone(tx.tx, old.id);
  // What was replaced in the meantime did not know of these objects.
  const since = await tx.read(replacement.id);
  const next = since && linkedTo(since, 'ReplacementObjectLink');
  if (next !== undefined) await noteLeft(tx.tx, { old: replacement.id, replacement: next }, AT_ONCE_AGAIN);
}

/**
 * Rewraps the objects of one owner, before anything is written. Other owners that use the key by a grant rewrap their objects themselves.
 * Skips content that the old key does not unwrap: a client may register anything as wrapped, and that must not make the rotation fail.
 */
export async function findDependants(
  tx: ObjectTransaction,
  ids: readonly string[],
  { old, replacement }: Pick<Rekeyed, 'old' | 'replacement'>,
  ctx: KeyContext,
  outside: Outside,
): Promise<Dependant[]> {
  const found: Dependant[] = [];
  const works = new Map<string, () => Promise<Structure | undefined>>();
  const wrapped: Draft[] = [];
  const keys = `${fingerprint(old)} ${fingerprint(replacement)}`;
  for (const id of ids) {
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
