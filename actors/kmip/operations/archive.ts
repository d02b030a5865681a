// Archive and Recover: an archived object is kept, but not used or fetched until it is recovered (KMIP 2.1 sections 6.1.4 and 6.1.42).
import { Refusal } from '../../../kmip/refusal.ts';
import { dateTime, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { changed } from '../object/lifecycle.ts';
import type { Operation } from './operation.ts';

export const archive: Operation = move('Archive', true);
export const recover: Operation = move('Recover', false);

function move(right: 'Archive' | 'Recover', archived: boolean): Operation {
  return async (request, ctx) => {
    const id = await ctx.change(async (tx) => {
      const draft = await tx.describe(request, right);
      if (archived && draft.archived) throw new Refusal('ObjectArchived', `DENIED: the object ${draft.id} is archived already`);
      if (draft.archived !== archived) {
        draft.archived = archived;
        if (archived) draft.attributes.set(dateTime(TAG.ArchiveDate, ctx.now));
        else draft.attributes.remove(TAG.ArchiveDate);
        changed(draft, ctx.now);
        await tx.update(draft);
        await tx.audit(`key.${right.toLowerCase()}`, draft.id);
      }
      return draft.id;
    });
    return [text(TAG.UniqueIdentifier, id)];
  };
}
