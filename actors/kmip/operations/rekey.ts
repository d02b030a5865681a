// ReKey: a replacement for a symmetric key, linked to it, under its names (KMIP 2.1 section 6.1.46).
import { checkedLength, generateKey } from '../../../crypto/key/symmetric-key.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { type Structure, text } from '../../../kmip/ttlv/node.ts';
import { intervalOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { newObject } from '../object/create.ts';
import { algorithmOf, keyBlockOf, symmetricKey } from '../object/key-material.ts';
import type { Draft } from '../object/managed-object.ts';
import { givenAlgorithm, givenLength } from '../object/new-attributes.ts';
import { replace, replacementAttributes, requireReplaceable } from '../object/replacement.ts';
import { rewrapDependants } from '../object/rewrapping.ts';
import type { ObjectTransaction, Operation, OperationContext } from './operation.ts';
import { requireStorage } from './protection-storage.ts';

export const rekey: Operation = async (request, ctx) => {
  requireStorage(request, TAG.ProtectionStorageMasks);
  const id = await ctx.change(async (tx) => (await rekeyDraft(tx, await tx.use(request, 'ReKey'), request, ctx)).id);
  return [text(TAG.UniqueIdentifier, id)];
};

/** @param request Offset and Attributes are read from it @returns the replacement, written */
export async function rekeyDraft(tx: ObjectTransaction, old: Draft, request: Structure, ctx: OperationContext): Promise<Draft> {
  if (old.type !== ENUM.ObjectType.SymmetricKey)
    throw new Refusal('InvalidObjectType', `no active symmetric key found for ${old.id}: it is another kind of object`);
  requireReplaceable(old, 'symmetric key', ctx.now);
  const attributes = replacementAttributes(old, request, intervalOf(request, TAG.Offset), ctx, TAG.Attributes);
  const algorithm = algorithmOf(old);
  if (algorithm === undefined || givenAlgorithm(attributes) !== algorithm)
    throw new Refusal('InvalidField', 'changing the cryptographic algorithm is not allowed');
  const length = checkedLength(algorithm, givenLength(attributes));
  const format = old.content && keyBlockOf(old.content).format;
  const content = symmetricKey(generateKey(algorithm, length), algorithm, length, format === 'TransparentSymmetricKey' ? format : 'Raw');
  const replacement = newObject(ctx, { type: old.type, content, attributes });
  await replace(tx, ctx, { old, replacement });
  await rewrapDependants(tx, old, replacement, ctx);
  await tx.audit('key.rekey', old.id);
  return replacement;
}
