// Activate: a pre-active object may be used from now on (KMIP 2.1 section 6.1.1).
import { text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { happen } from '../object/lifecycle.ts';
import type { Operation } from './operation.ts';

export const activate: Operation = async (request, ctx) => {
  const id = await ctx.change(async (tx) => {
    const draft = await tx.describe(request, 'Activate');
    happen(draft, 'activate', ctx.now);
    await tx.update(draft);
    await tx.audit('key.activate', draft.id);
    return draft.id;
  });
  return [text(TAG.UniqueIdentifier, id)];
};
