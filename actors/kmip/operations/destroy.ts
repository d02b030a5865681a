// Destroy: the material of an object goes, what was known of it stays (KMIP 2.1 section 6.1.15).
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { text } from '../../../kmip/ttlv/node.ts';
import { booleanOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { happen } from '../object/lifecycle.ts';
import type { DescriptionDraft } from '../object/managed-object.ts';
import type { ObjectTransaction, Operation } from './operation.ts';
import { pairOf } from './revoke.ts';

const { Destroyed, DestroyedCompromised } = ENUM.State;

export const destroy: Operation = async (request, ctx) => {
  const id = await ctx.change(async (tx) => {
    const draft = await tx.describe(request, 'Destroy');
    if (isDestroyed(draft)) throw new Refusal('ObjectDestroyed', `DENIED: the object ${draft.id} is destroyed already`);
    const others = booleanOf(request, TAG.Cascade) ? (await pairOf(tx, draft, 'Destroy')).filter((other) => !isDestroyed(other)) : [];
    for (const each of [draft, ...others]) await destroyDraft(tx, each, ctx.now, booleanOf(request, TAG.Remove) ?? false);
    return draft.id;
  });
  return [text(TAG.UniqueIdentifier, id)];
};

const isDestroyed = ({ state }: DescriptionDraft): boolean => state === Destroyed || state === DestroyedCompromised;

/** @param remove the row goes as well, and the identifier may be used again @throws Refusal WrongKeyLifecycleState for an active object */
export async function destroyDraft(tx: ObjectTransaction, draft: DescriptionDraft, now: number, remove: boolean): Promise<void> {
  happen(draft, 'destroy', now);
  if (remove) await tx.remove(draft.id);
  else await tx.update(draft);
  await tx.audit('key.destroy', draft.id);
}
