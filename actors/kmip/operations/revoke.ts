// Revoke: marks an object as no longer usable, or as possibly compromised (KMIP 2.1 section 6.1.44).
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { booleanOf, codeOf, dateOf, nameOf, required, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { giveUpKeys } from '../object/key.ts';
import { requireOnLine } from '../object/life/availability.ts';
import { pairOf, type Revocation, requireShortMessage, revokeDraft } from '../object/life/revocation.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

const COMPROMISES: ReadonlySet<string> = new Set(['KeyCompromise', 'CACompromise']);
/** The client's clock may be ahead of ours by as much. */
const CLOCK_SECONDS = 300;

export const revoke = {
  name: 'Revoke',
  members: payloadMembers([...OBJECT, 'RevocationReason', 'CompromiseOccurrenceDate', 'Cascade']),
  absentReason: 'ItemNotFound',
  event: 'key.revoke',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const reason = required(structureOf(request, TAG.RevocationReason), TAG.RevocationReason);
  const code = nameOf('RevocationReasonCode', required(codeOf(reason, TAG.RevocationReasonCode), TAG.RevocationReasonCode));
  requireShortMessage(reason, TAG.RevocationMessage);
  const compromised = COMPROMISES.has(code);
  const occurrence = dateOf(request, TAG.CompromiseOccurrenceDate);
  if (occurrence !== undefined && !compromised)
    throw new Refusal('InvalidField', `CompromiseOccurrenceDate is for KeyCompromise and CACompromise only, not for ${code}`);
  if (occurrence !== undefined && occurrence > ctx.now + CLOCK_SECONDS)
    throw new Refusal('InvalidField', 'CompromiseOccurrenceDate is in the future: it says since when the object may have been compromised');
  const revocation: Revocation = { reason, compromised, occurrence, now: ctx.now };
  const ids = await ctx.change(async (tx) => {
    const draft = await tx.describe(request, 'Revoke');
    const all = [draft, ...(booleanOf(request, TAG.Cascade) ? await pairOf(tx, draft, 'Revoke') : [])];
    for (const each of all) {
      requireOnLine(each);
      revokeDraft(each, revocation);
      await tx.update(each);
      await tx.audit(revoke.event, each.id);
    }
    return all.map(({ id }) => id);
  });
  giveUpKeys(ctx.server, ids);
  return [text(TAG.UniqueIdentifier, ids[0] as string)];
}
