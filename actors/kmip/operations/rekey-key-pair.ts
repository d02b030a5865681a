// ReKeyKeyPair: replaces both keys of a pair (KMIP 2.1 section 6.1.47).
import { PAIR, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { type PairSource, withPair } from '../creation/pair-source.ts';
import { requirePairStorage } from '../creation/protection-storage.ts';
import { rekeyPair } from '../creation/replacement-pair.ts';
import { pastTaken } from '../object/place.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const rekeyKeyPair = {
  name: 'ReKeyKeyPair',
  members: payloadMembers(['PrivateKeyUniqueIdentifier', 'ExpectedObjectType', 'Offset', ...PAIR]),
  leaves: [
    { tag: TAG.PrivateKeyUniqueIdentifier, code: ENUM.UniqueIdentifier.ReKeyKeyPairPrivateKey },
    { tag: TAG.PublicKeyUniqueIdentifier, code: ENUM.UniqueIdentifier.ReKeyKeyPairPublicKey },
    { tag: TAG.PrivateKeyUniqueIdentifier, code: ENUM.UniqueIdentifier.ReKeyKeyPair },
  ],
  event: 'key.rekey',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  requirePairStorage(request);
  const change = (source: PairSource) =>
    ctx.change(async (tx) => rekeyPair(tx, await tx.use(request, 'ReKeyKeyPair', TAG.PrivateKeyUniqueIdentifier), request, ctx, source));
  const pair = await pastTaken(() => withPair(ctx, change));
  return [text(TAG.PrivateKeyUniqueIdentifier, pair.privateKey.id), text(TAG.PublicKeyUniqueIdentifier, pair.publicKey.id)];
}
