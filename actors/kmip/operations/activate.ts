// Activate: makes a pre-active object usable from now on (KMIP 2.1 section 6.1.1).
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { requireOnLine } from '../object/life/availability.ts';
import { applyEvent, hasState, stateless } from '../object/life/lifecycle.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const activate = {
  name: 'Activate',
  members: payloadMembers(OBJECT),
  event: 'key.activate',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const id = await ctx.change(async (tx) => {
    const draft = await tx.describe(request, 'Activate');
    requireOnLine(draft);
    if (!hasState(draft, ctx.version)) throw stateless(draft, 'activate');
    applyEvent(draft, 'activate', ctx.now);
    await tx.update(draft);
    await tx.audit(activate.event, draft.id);
    return draft.id;
  });
  return [text(TAG.UniqueIdentifier, id)];
}
