// ReKeyKeyPair: a replacement for both keys of a pair (KMIP 2.1 section 6.1.47).
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { type Structure, text } from '../../../kmip/ttlv/node.ts';
import { intervalOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { linkedTo } from '../object/create.ts';
import { algorithmOf } from '../object/key-material.ts';
import type { DescriptionDraft, Draft } from '../object/managed-object.ts';
import { givenAlgorithm, givenCurve, givenLength } from '../object/new-attributes.ts';
import { replace, replacementAttributes, requireReplaceable } from '../object/replacement.ts';
import { newPair, type PairDrafts } from './create-key-pair.ts';
import type { ObjectTransaction, Operation, OperationContext } from './operation.ts';
import { type PairSource, withPair } from './pair-source.ts';
import { requireStorage } from './protection-storage.ts';

export const rekeyKeyPair: Operation = async (request, ctx) => {
  for (const tag of [TAG.CommonProtectionStorageMasks, TAG.PrivateProtectionStorageMasks, TAG.PublicProtectionStorageMasks]) requireStorage(request, tag);
  const pair = await withPair(ctx, (source) =>
    ctx.change(async (tx) => rekeyPair(tx, await tx.use(request, 'ReKeyKeyPair', TAG.PrivateKeyUniqueIdentifier), request, ctx, source)),
  );
  return [text(TAG.PrivateKeyUniqueIdentifier, pair.privateKey.id), text(TAG.PublicKeyUniqueIdentifier, pair.publicKey.id)];
};

/** @param oldPrivate the private key; its public key is found by the link @returns the new pair, written */
export async function rekeyPair(tx: ObjectTransaction, oldPrivate: Draft, request: Structure, ctx: OperationContext, source: PairSource): Promise<PairDrafts> {
  if (oldPrivate.type !== ENUM.ObjectType.PrivateKey)
    throw new Refusal('InvalidObjectType', `no active private key found for ${oldPrivate.id}: it is another kind of object`);
  requireReplaceable(oldPrivate, 'private key', ctx.now);
  const oldPublic = await publicOf(tx, oldPrivate, ctx);
  const offset = intervalOf(request, TAG.Offset);
  const privateAttributes = replacementAttributes(oldPrivate, request, offset, ctx, TAG.CommonAttributes, TAG.PrivateKeyAttributes);
  const publicAttributes = replacementAttributes(oldPublic, request, offset, ctx, TAG.CommonAttributes, TAG.PublicKeyAttributes);
  for (const attributes of [privateAttributes, publicAttributes])
    if (givenAlgorithm(attributes) !== algorithmOf(oldPrivate)) throw new Refusal('InvalidField', 'changing the cryptographic algorithm is not allowed');
  // A new curve or length given for one key of the pair is that of the other.
  if (givenCurve(privateAttributes) !== givenCurve(publicAttributes)) publicAttributes.remove(TAG.CryptographicDomainParameters);
  if (givenLength(privateAttributes) !== givenLength(publicAttributes)) publicAttributes.remove(TAG.CryptographicLength);
  const pair = newPair(ctx, privateAttributes, publicAttributes, source);
  await replace(tx, ctx, { old: oldPrivate, replacement: pair.privateKey }, { old: oldPublic, replacement: pair.publicKey });
  await tx.audit('key.rekey', oldPrivate.id);
  return pair;
}

/** The link alone is enough for the owner: a grantee, who may have written it, needs the one back as well. */
async function publicOf(tx: ObjectTransaction, privateKey: DescriptionDraft, { caller }: OperationContext): Promise<DescriptionDraft> {
  const id = linkedTo(privateKey, 'PublicKeyLink');
  const found = id === undefined ? undefined : await tx.read(id);
  const isPair = found?.owner === privateKey.owner && (found.owner === caller.user || linkedTo(found, 'PrivateKeyLink') === privateKey.id);
  if (!found || !isPair) throw new Refusal('ItemNotFound', `${privateKey.id} has no PublicKeyLink to a public key`);
  return found;
}
