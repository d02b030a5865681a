// Moves an object into the archive or back, in a transaction.
import { Refusal } from '../../../../kmip/refusal.ts';
import { dateTime, type Structure } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { OperationContext } from '../../operation-context.ts';
import { markChanged } from './lifecycle.ts';

/** @returns the identifier of the object @throws Refusal ObjectArchived if the object to archive is already archived */
export function setArchived(request: Structure, ctx: OperationContext, right: 'Archive' | 'Recover', event: string): Promise<string> {
  const archived = right === 'Archive';
  return ctx.change(async (tx) => {
    const draft = await tx.describe(request, right);
    if (archived && draft.archived) throw new Refusal('ObjectArchived', `DENIED: the object ${draft.id} is already archived`);
    if (draft.archived !== archived) {
      draft.archived = archived;
      if (archived) draft.attributes.set(dateTime(TAG.ArchiveDate, ctx.now));
      else draft.attributes.remove(TAG.ArchiveDate);
      markChanged(draft, ctx.now);
      await tx.update(draft);
      await tx.audit(event, draft.id);
    }
    return draft.id;
  });
}
