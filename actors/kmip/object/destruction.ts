// Destroys an object in a transaction: deletes its material and, if requested, its row.
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import type { ObjectTransaction, OperationContext } from '../operation-context.ts';
import { applyEvent, settle } from './lifecycle.ts';
import type { DescriptionDraft } from './managed-object.ts';
import type { Outside } from './outside.ts';

/** @param remove also delete the row, so that the identifier can be used again @throws Refusal WrongKeyLifecycleState for an active object */
export async function destroyDraft(tx: ObjectTransaction, draft: DescriptionDraft, ctx: OperationContext, remove: boolean, outside: Outside): Promise<void> {
  const { now } = ctx;
  const { keeper } = ctx.server.objects.sourceOf(draft.id);
  settle(draft, now);
  // A token has no states: its administrators destroy a key at once.
  if (keeper && draft.state === ENUM.State.Active) applyEvent(draft, 'deactivate', now);
  applyEvent(draft, 'destroy', now);
  if (keeper) outside.result(`destroy ${draft.id}`, () => keeper.destroy(ctx, draft));
  if (remove) await tx.remove(draft.id);
  else await tx.update(draft);
  await tx.audit('key.destroy', draft.id);
}
