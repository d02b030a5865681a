// Deletes keys: DELETE /v1/crypto/keys/{kid} revokes, destroys and removes a key, together with the other half of its pair.
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { discoverKey } from '../message/discover.ts';
import { giveUpKeys } from '../object/key.ts';
import { requireOnLine } from '../object/life/availability.ts';
import { destroyDraft } from '../object/life/destruction.ts';
import { isDestroyed, stateAt } from '../object/life/lifecycle.ts';
import { pairOf, revokeDraft } from '../object/life/revocation.ts';
import type { DescriptionDraft } from '../object/managed-object.ts';
import { type Outside, withOutside } from '../object/outside.ts';
import { requireNotNeeded } from '../object/still-needed.ts';
import type { ObjectTransaction, OperationContext } from '../operation-context.ts';
import { describeByKid } from './find-key.ts';

const REASON = structure(TAG.RevocationReason, [enumeration(TAG.RevocationReasonCode, ENUM.RevocationReasonCode.CessationOfOperation)]);

/** @throws Problem, Refusal */
export async function deleteKey(kid: string, ctx: OperationContext): Promise<void> {
  // A transaction must not wait for a token that has a key of somebody else.
  await discoverKey(ctx, kid);
  const ids = await withOutside((outside) =>
    ctx.change(async (tx) => {
      await describeByKid(tx, kid, 'Revoke');
      const object = await describeByKid(tx, kid, 'Destroy');
      const others = (await pairOf(tx, object, 'Revoke')).length > 0 ? await pairOf(tx, object, 'Destroy') : [];
      const all = [object, ...others];
      all.forEach(requireOnLine);
      for (const draft of all) await remove(tx, draft, ctx, outside);
      return all.map(({ id }) => id);
    }),
  );
  giveUpKeys(ctx.server, ids);
}

async function remove(tx: ObjectTransaction, draft: DescriptionDraft, ctx: OperationContext, outside: Outside): Promise<void> {
  const { now } = ctx;
  if (isDestroyed(draft.state)) {
    await tx.remove(draft.id);
    await tx.audit('key.destroy', draft.id);
    return;
  }
  // Only an active key must be revoked before it can be destroyed.
  if (stateAt(draft, now) === ENUM.State.Active) {
    await requireNotNeeded(tx, draft, ctx);
    revokeDraft(draft, { reason: REASON, compromised: false, occurrence: undefined, now });
    await tx.audit('key.revoke', draft.id);
  }
  await destroyDraft(tx, draft, ctx, true, outside);
}
