// Replaces a symmetric key, for ReKey and for scheduled rotation.
import { checkedLength, generateKey } from '../../../crypto/key/symmetric-key.ts';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import type { AttributeSet } from '../../../kmip/attribute/set.ts';
import { keyBlockOf, symmetricKey } from '../../../kmip/key-block.ts';
import type { ObjectType } from '../../../kmip/object-type.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import type { Structure } from '../../../kmip/ttlv/node.ts';
import { intervalOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { givenAlgorithm, givenFormat, givenLength } from '../object/attributes/new-attributes.ts';
import { newObject } from '../object/create.ts';
import { algorithmOf } from '../object/key-attributes.ts';
import { replace, replacementAttributes, requireReplaceable } from '../object/keyset/replacement.ts';
import type { Draft } from '../object/managed-object.ts';
import type { Outside } from '../object/outside.ts';
import { chosenIn, lastGeneration, type Place, placeFor } from '../object/place.ts';
import { findDependants, firstOf, type Rekeyed, updateDependants } from '../object/wrapping/rewrapping.ts';
import { noteLeft } from '../object/wrapping/rewrapping-rows.ts';
import type { ObjectTransaction, OperationContext } from '../operation-context.ts';
import { symmetricFormat } from './made-format.ts';

/**
 * @param request supplies Offset and Attributes
 * @param outside rewraps what the old key has wrapped
 * @returns the replacement, already stored, and what `rewrapLeft` has to do after the transaction
 */
export async function rekeyDraft(tx: ObjectTransaction, old: Draft, request: Structure, ctx: OperationContext, outside: Outside): Promise<Rekeyed> {
  if (old.type !== ENUM.ObjectType.SymmetricKey)
    throw new Refusal('InvalidObjectType', `no active symmetric key found for ${old.id}: it is another kind of object`);
  await requireReplaceable(tx, old, 'symmetric key', ctx.now);
  const attributes = replacementAttributes(old, request, intervalOf(request, TAG.Offset), ctx, TAG.Attributes);
  const [replaced] = await lastGeneration(tx, ctx, [old.id]);
  const place = outside.keep('place', () => placeFor(ctx, { type: old.type, chosen: chosenIn(attributes.nodes()), replaced }));
  const algorithm = algorithmOf(old);
  if (algorithm === undefined || givenAlgorithm(attributes) !== algorithm)
    throw new Refusal('InvalidField', 'changing the cryptographic algorithm is not allowed');
  const length = checkedLength(algorithm, givenLength(attributes));
  const content = keptContent(place, old.type, attributes, ctx, outside) ?? newContent(old, attributes, algorithm, length, outside);
  const replacement = newObject(ctx, { place, type: old.type, content, attributes });
  const [ids, left] = firstOf(await tx.findWrapped(old));
  const dependants = await findDependants(tx, ids, { old, replacement }, ctx, outside);
  await replace(tx, ctx, { old, replacement });
  await updateDependants(tx, dependants, replacement, ctx.now);
  if (left.length > 0) await noteLeft(tx.tx, { old: old.id, replacement: replacement.id }, ctx.server.now());
  await tx.audit('key.rekey', old.id);
  return { old, replacement, left };
}

/** In the format of the old key or the one that the client asks for. Other formats, such as Opaque, are for keys that clients bring. */
function newContent(old: Draft, attributes: AttributeSet, algorithm: CryptographicAlgorithm, length: number, outside: Outside): Structure {
  const own = old.content && keyBlockOf(old.content).format;
  const asked = givenFormat(attributes);
  const isKept = asked === undefined || asked === own;
  const format = !isKept ? symmetricFormat(attributes) : own === 'TransparentSymmetricKey' ? own : 'Raw';
  const material = outside.keep(`${algorithm} key of ${length} bits`, () => generateKey(algorithm, length));
  return symmetricKey(material, algorithm, length, format);
}

/** Undefined if the key is stored with its object. */
function keptContent({ id, source }: Place, type: ObjectType, attributes: AttributeSet, ctx: OperationContext, outside: Outside): Structure | undefined {
  const { keeper } = source;
  if (!keeper) return undefined;
  return outside.made(
    `key ${id}`,
    () => keeper.makeSecret(ctx, id, type, attributes),
    () => keeper.discard([id]),
  );
}
