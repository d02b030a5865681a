// Obliterate: removes an object with all that is known about it (KMIP 3.0 section 6.1.39), unlike Destroy, which keeps its attributes.
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import type { Node, Structure } from '../../../kmip/ttlv/node.ts';
import { giveUpKeys } from '../object/key.ts';
import { requireOnLine } from '../object/life/availability.ts';
import { destroyDraft } from '../object/life/destruction.ts';
import { isDestroyed } from '../object/life/lifecycle.ts';
import { withOutside } from '../object/outside.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const obliterate = {
  name: 'Obliterate',
  members: payloadMembers(OBJECT),
  event: 'key.obliterate',
  run,
} satisfies Operation;

/** An object that is destroyed already loses its attributes. One that is not is destroyed first, by the same rules. */
async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const id = await withOutside((outside) =>
    ctx.change(async (tx) => {
      const draft = await tx.describe(request, 'Obliterate');
      requireOnLine(draft);
      if (isDestroyed(draft.state)) await tx.remove(draft.id);
      else await destroyDraft(tx, draft, ctx, true, outside);
      await tx.audit(obliterate.event, draft.id);
      return draft.id;
    }),
  );
  giveUpKeys(ctx.server, [id]);
  return [];
}
