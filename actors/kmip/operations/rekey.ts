// ReKey: replaces a symmetric key with a new one, linked to it and with its names (KMIP 2.1 section 6.1.46).
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { requireStorage } from '../creation/protection-storage.ts';
import { rekeyDraft } from '../creation/replacement-key.ts';
import { type Outside, withOutside } from '../object/outside.ts';
import { pastTaken } from '../object/place.ts';
import { rewrapLeft } from '../object/wrapping/rewrapping.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const rekey = {
  name: 'ReKey',
  members: payloadMembers([...OBJECT, 'Offset', 'Attributes', 'ProtectionStorageMasks']),
  leaves: [{ tag: TAG.UniqueIdentifier, code: ENUM.UniqueIdentifier.ReKey }],
  event: 'key.rekey',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  requireStorage(request, TAG.ProtectionStorageMasks);
  const change = (outside: Outside) => ctx.change(async (tx) => rekeyDraft(tx, await tx.use(request, 'ReKey'), request, ctx, outside));
  const rekeyed = await pastTaken(() => withOutside(change));
  await rewrapLeft(ctx, rekeyed);
  return [text(TAG.UniqueIdentifier, rekeyed.replacement.id)];
}
