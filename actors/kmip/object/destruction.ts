// Destroys an object in a transaction: its material goes, and its row as well where that is asked for.
import type { ObjectTransaction } from '../operation-context.ts';
import { happen } from './lifecycle.ts';
import type { DescriptionDraft } from './managed-object.ts';

/** @param remove the row goes as well, and the identifier may be used again @throws Refusal WrongKeyLifecycleState for an active object */
export async function destroyDraft(tx: ObjectTransaction, draft: DescriptionDraft, now: number, remove: boolean): Promise<void> {
  happen(draft, 'destroy', now);
  if (remove) await tx.remove(draft.id);
  else await tx.update(draft);
  await tx.audit('key.destroy', draft.id);
}
