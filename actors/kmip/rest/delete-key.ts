// Deletes keys: DELETE /v1/crypto/keys/{kid} revokes, destroys and removes a key, and with it the other half of its pair.
import { destroyDraft } from '../operations/destroy.ts';
import type { OperationContext } from '../operations/operation.ts';
import { pairOf, revokeDraft } from '../operations/revoke.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { enumeration, structure } from '../ttlv/node.ts';
import { TAG } from '../ttlv/tag.ts';
import { byKid } from './find-key.ts';

const { State, RevocationReasonCode } = ENUM;

const REASON = structure(TAG.RevocationReason, [enumeration(TAG.RevocationReasonCode, RevocationReasonCode.CessationOfOperation)]);

/** @throws Problem, Refusal */
export async function deleteKey(kid: string, ctx: OperationContext): Promise<void> {
  await ctx.change(async (tx) => {
    await byKid(tx, kid, 'Revoke');
    const object = await byKid(tx, kid, 'Destroy');
    for (const draft of [object, ...(await pairOf(tx, object))]) {
      if (draft.state === State.Destroyed || draft.state === State.DestroyedCompromised) {
        await tx.remove(draft.id);
        await tx.audit('key.destroy', draft.id);
        continue;
      }
      if (draft.state !== State.Compromised) {
        revokeDraft(draft, { reason: REASON, compromised: false, occurrence: undefined, now: ctx.now });
        await tx.audit('key.revoke', draft.id);
      }
      await destroyDraft(tx, draft, ctx.now, true);
    }
  });
}
