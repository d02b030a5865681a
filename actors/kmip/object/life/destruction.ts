// Destroys an object in a transaction: deletes its material and, if requested, its row.
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import type { ObjectTransaction, OperationContext } from '../../operation-context.ts';
import type { DescriptionDraft } from '../managed-object.ts';
import type { Outside } from '../outside.ts';
import { requireNotNeeded } from '../still-needed.ts';
import { applyEvent, hasState, isDestroyed, settle } from './lifecycle.ts';

/**
 * @param remove also delete the row, so that the identifier can be used again
 * @throws Refusal WrongKeyLifecycleState for an active object, and for a key that others are wrapped by
 */
export async function destroyDraft(tx: ObjectTransaction, draft: DescriptionDraft, ctx: OperationContext, remove: boolean, outside: Outside): Promise<void> {
  const { keeper } = ctx.server.objects.sourceOf(draft.id);
  await requireNotNeeded(tx, draft, ctx);
  end(draft, ctx, keeper !== undefined);
  const { id } = draft;
  if (keeper)
    outside.made(
      `destroy ${id}`,
      () => keeper.destroy(ctx, draft),
      () => recordDestroyed(ctx, id),
    );
  if (remove) await tx.remove(draft.id);
  else await tx.update(draft);
  await tx.audit('key.destroy', draft.id);
}

/** A token has no states: its administrators destroy a key at once. So do clients of versions in which an object of the type has none. */
function end(draft: DescriptionDraft, { now, version }: Pick<OperationContext, 'now' | 'version'>, onToken: boolean): void {
  settle(draft, now);
  if ((onToken || !hasState(draft, version)) && draft.state === ENUM.State.Active) applyEvent(draft, 'deactivate', now);
  applyEvent(draft, 'destroy', now);
}

/** The change that destroyed a key on a token has failed, but the key is gone: its row says so all the same. */
async function recordDestroyed(ctx: OperationContext, id: string): Promise<void> {
  await ctx.change(async (tx) => {
    const draft = await tx.read(id);
    if (!draft || isDestroyed(draft.state)) return;
    end(draft, ctx, true);
    await tx.update(draft);
    await tx.audit('key.destroy', id);
  });
}
