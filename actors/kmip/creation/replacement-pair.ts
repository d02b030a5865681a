// Replaces both keys of a pair, for ReKeyKeyPair and for scheduled rotation.
import { publicName } from '../../../kmip/pair-name.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import type { Structure } from '../../../kmip/ttlv/node.ts';
import { intervalOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { givenAlgorithm, givenCurve, givenLength } from '../object/attributes/new-attributes.ts';
import { linkedTo } from '../object/create.ts';
import { algorithmOf } from '../object/key-attributes.ts';
import { replace, replacementAttributes, requireReplaceable } from '../object/keyset/replacement.ts';
import type { DescriptionDraft, Draft } from '../object/managed-object.ts';
import { lastGeneration } from '../object/place.ts';
import type { ObjectTransaction, OperationContext } from '../operation-context.ts';
import { owns } from '../principal.ts';
import { newPair, type PairDrafts } from './key-pair.ts';
import type { PairSource } from './pair-source.ts';

/** @param oldPrivate the private key; its link leads to the public key @returns the new pair, already stored */
export async function rekeyPair(tx: ObjectTransaction, oldPrivate: Draft, request: Structure, ctx: OperationContext, source: PairSource): Promise<PairDrafts> {
  if (oldPrivate.type !== ENUM.ObjectType.PrivateKey)
    throw new Refusal('InvalidObjectType', `no active private key found for ${oldPrivate.id}: it is another kind of object`);
  await requireReplaceable(tx, oldPrivate, 'private key', ctx.now);
  const oldPublic = await publicOf(tx, oldPrivate, ctx);
  const offset = intervalOf(request, TAG.Offset);
  const privateAttributes = replacementAttributes(oldPrivate, request, offset, ctx, TAG.CommonAttributes, TAG.PrivateKeyAttributes);
  const publicAttributes = replacementAttributes(oldPublic, request, offset, ctx, TAG.CommonAttributes, TAG.PublicKeyAttributes);
  for (const attributes of [privateAttributes, publicAttributes])
    if (givenAlgorithm(attributes) !== algorithmOf(oldPrivate)) throw new Refusal('InvalidField', 'changing the cryptographic algorithm is not allowed');
  // A new curve or length for one key of the pair applies to both.
  if (givenCurve(privateAttributes) !== givenCurve(publicAttributes)) publicAttributes.remove(TAG.CryptographicDomainParameters);
  if (givenLength(privateAttributes) !== givenLength(publicAttributes)) publicAttributes.remove(TAG.CryptographicLength);
  // A token makes both halves with one name, whatever those of the old ones are.
  const half = ctx.server.objects.sourceOf(oldPrivate.id).keeper ? publicName(oldPrivate.id) : oldPublic.id;
  const [privateKey, publicKey] = await lastGeneration(tx, ctx, [oldPrivate.id, half]);
  const pair = newPair(ctx, privateAttributes, publicAttributes, source, { privateKey, publicKey });
  await replace(tx, ctx, { old: oldPrivate, replacement: pair.privateKey }, { old: oldPublic, replacement: pair.publicKey });
  await tx.audit('key.rekey', oldPrivate.id);
  return pair;
}

/** For the owner, the link of the private key is enough. A grantee may have written it, so the public key must link back. */
async function publicOf(tx: ObjectTransaction, privateKey: DescriptionDraft, { caller }: OperationContext): Promise<DescriptionDraft> {
  const id = linkedTo(privateKey, 'PublicKeyLink');
  const found = id === undefined ? undefined : await tx.read(id);
  const isPair = found?.owner === privateKey.owner && (owns(caller, found.owner) || linkedTo(found, 'PrivateKeyLink') === privateKey.id);
  if (!found || !isPair) throw new Refusal('ItemNotFound', `${privateKey.id} has no PublicKeyLink to a public key`);
  return found;
}
