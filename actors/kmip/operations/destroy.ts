// Destroy: deletes the material of an object and keeps its metadata (KMIP 2.1 section 6.1.15).
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { booleanOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { giveUpKeys } from '../object/key.ts';
import { requireOnLine } from '../object/life/availability.ts';
import { destroyDraft } from '../object/life/destruction.ts';
import { isDestroyed } from '../object/life/lifecycle.ts';
import { pairOf } from '../object/life/revocation.ts';
import { withOutside } from '../object/outside.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const destroy = {
  name: 'Destroy',
  members: payloadMembers([...OBJECT, 'Cascade', 'Remove']),
  absentReason: 'ItemNotFound',
  event: 'key.destroy',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const ids = await withOutside((outside) =>
    ctx.change(async (tx) => {
      const draft = await tx.describe(request, 'Destroy');
      if (isDestroyed(draft.state)) throw new Refusal('ObjectDestroyed', `DENIED: the object ${draft.id} is already destroyed`);
      const others = booleanOf(request, TAG.Cascade) ? (await pairOf(tx, draft, 'Destroy')).filter((other) => !isDestroyed(other.state)) : [];
      const all = [draft, ...others];
      all.forEach(requireOnLine);
      for (const each of all) await destroyDraft(tx, each, ctx, booleanOf(request, TAG.Remove) ?? false, outside);
      return all.map(({ id }) => id);
    }),
  );
  giveUpKeys(ctx.server, ids);
  return [text(TAG.UniqueIdentifier, ids[0] as string)];
}
