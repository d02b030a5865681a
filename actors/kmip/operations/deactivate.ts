// Deactivate: ends the use of an active object (KMIP 3.0 section 6.1.14); before 3.0, Revoke with another reason than a compromise.
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { codeOf, nameOf, required, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { giveUpKeys } from '../object/key.ts';
import { requireOnLine } from '../object/life/availability.ts';
import { applyEvent, settle } from '../object/life/lifecycle.ts';
import { requireShortMessage } from '../object/life/revocation.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const deactivate = {
  name: 'Deactivate',
  members: payloadMembers([...OBJECT, 'DeactivationReason']),
  event: 'key.deactivate',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const reason = reasonIn(request);
  const id = await ctx.change(async (tx) => {
    const draft = await tx.describe(request, 'Deactivate');
    requireOnLine(draft);
    settle(draft, ctx.now);
    if (draft.state !== ENUM.State.Active) throw new Refusal('WrongKeyLifecycleState', `DENIED: the object ${draft.id} is not Active`);
    applyEvent(draft, 'deactivate', ctx.now);
    draft.attributes.set(reason);
    await tx.update(draft);
    await tx.audit(deactivate.event, draft.id);
    return draft.id;
  });
  giveUpKeys(ctx.server, [id]);
  return [text(TAG.UniqueIdentifier, id)];
}

function reasonIn(request: Structure): Structure {
  const given = structureOf(request, TAG.DeactivationReason);
  if (!given) return structure(TAG.DeactivationReason, [enumeration(TAG.DeactivationReasonCode, ENUM.DeactivationReasonCode.Unspecified)]);
  nameOf('DeactivationReasonCode', required(codeOf(given, TAG.DeactivationReasonCode), TAG.DeactivationReasonCode));
  requireShortMessage(given, TAG.DeactivationMessage);
  return given;
}
