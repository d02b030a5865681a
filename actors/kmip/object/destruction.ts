// Destroys an object in a transaction: deletes its material and, if requested, its row.
import type { ObjectTransaction } from '../operation-context.ts';
import { applyEvent } from './lifecycle.ts';
import type { DescriptionDraft } from './managed-object.ts';

/** @param remove also delete the row, so that the identifier can be used again @throws Refusal WrongKeyLifecycleState for an active object */
export async function destroyDraft(tx: ObjectTransaction, draft: DescriptionDraft, now: number, remove: boolean): Promise<void> {
  applyEvent(draft, 'destroy', now);
  if (remove) await tx.remove(draft.id);
  else await tx.update(draft);
  await tx.audit('key.destroy', draft.id);
}
