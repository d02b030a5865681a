// The steps of a change with keys that their keeper has already, such as a token: what has begun there is undone if the change fails.
import type { OperationContext } from '../operation-context.ts';
import type { KeyKeeper } from './key-keeper.ts';
import type { Draft } from './managed-object.ts';

/** @param keeper undefined if the objects hold their keys @param ids of the keys that it has by now; the work may add more */
export async function keeping<T>(keeper: KeyKeeper | undefined, ids: readonly string[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await keeper?.discard(ids);
    throw error;
  }
}

/** Creates the objects of keys that a client has brought, and links those that a keeper has taken with the other half of their pair. @param event of the audit log */
export async function createBrought(ctx: OperationContext, keeper: KeyKeeper | undefined, drafts: readonly Draft[], event: string): Promise<void> {
  if (!keeper)
    return ctx.create(async (tx) => {
      for (const draft of drafts) await tx.create(event, draft);
    });
  return ctx.change(async (tx) => {
    for (const draft of drafts) await keeper.linkTaken(tx, draft, ctx.now);
    for (const draft of drafts) await tx.create(event, draft);
  });
}
