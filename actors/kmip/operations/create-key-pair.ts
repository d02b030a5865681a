// CreateKeyPair: creates a private key and its public key, linked with each other (KMIP 2.1 section 6.1.9).
import { PAIR, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { newPair, shareParameters } from '../creation/key-pair.ts';
import { withPair } from '../creation/pair-source.ts';
import { requirePairStorage } from '../creation/protection-storage.ts';
import { attributesIn, newAttributes, requireMask } from '../object/attributes/new-attributes.ts';
import { requireCreation } from '../object/create.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { withDefaults } from '../policy/defaults.ts';

const { ObjectType } = ENUM;

export const createKeyPair = {
  name: 'CreateKeyPair',
  members: payloadMembers([...PAIR]),
  leaves: [
    { tag: TAG.PrivateKeyUniqueIdentifier, code: ENUM.UniqueIdentifier.CreateKeyPairPrivateKey },
    { tag: TAG.PublicKeyUniqueIdentifier, code: ENUM.UniqueIdentifier.CreateKeyPairPublicKey },
    { tag: TAG.PrivateKeyUniqueIdentifier, code: ENUM.UniqueIdentifier.CreateKeyPair },
  ],
  event: 'key.create',
  run,
} satisfies Operation;

async function run(given: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  await requireCreation(ctx);
  requirePairStorage(given);
  const { defaults } = await ctx.policy();
  const ofPrivate = withDefaults(given, defaults, { type: ObjectType.PrivateKey, tags: [TAG.PrivateKeyAttributes, TAG.CommonAttributes] });
  const request = withDefaults(ofPrivate, defaults, { type: ObjectType.PublicKey, tags: [TAG.PublicKeyAttributes, TAG.CommonAttributes] });
  const privateAttributes = newAttributes(request, ObjectType.PrivateKey, TAG.CommonAttributes, TAG.PrivateKeyAttributes);
  const publicAttributes = newAttributes(request, ObjectType.PublicKey, TAG.CommonAttributes, TAG.PublicKeyAttributes);
  shareParameters(privateAttributes, publicAttributes);
  const { version } = ctx;
  requireMask(version, ObjectType.PrivateKey, attributesIn(request, TAG.CommonAttributes, TAG.PrivateKeyAttributes), 'CreateKeyPair');
  requireMask(version, ObjectType.PublicKey, attributesIn(request, TAG.CommonAttributes, TAG.PublicKeyAttributes), 'CreateKeyPair');
  const pair = await withPair(ctx, async (source) => {
    const made = newPair(ctx, privateAttributes, publicAttributes, source);
    // If this is refused, as for a Name that is taken, a token destroys what it has made.
    await ctx.create(async (tx) => {
      for (const draft of [made.privateKey, made.publicKey]) await tx.create(createKeyPair.event, draft);
    });
    return made;
  });
  return [text(TAG.PrivateKeyUniqueIdentifier, pair.privateKey.id), text(TAG.PublicKeyUniqueIdentifier, pair.publicKey.id)];
}
