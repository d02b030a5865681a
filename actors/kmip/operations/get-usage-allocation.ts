// GetUsageAllocation: reserves units of a key's usage limits for use by the client itself (KMIP specification 2.1 section 6.1.23).
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { longOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { markChanged } from '../object/life/lifecycle.ts';
import { requireUse, USE } from '../object/life/usage.ts';
import { take, usageLimitsOf } from '../object/life/usage-limits.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const getUsageAllocation = {
  name: 'GetUsageAllocation',
  members: payloadMembers([...OBJECT, 'UsageLimitsCount']),
  event: 'key.allocate',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const units = required(longOf(request, TAG.UsageLimitsCount), TAG.UsageLimitsCount);
  if (units < 1n) throw new Refusal('InvalidField', 'the usage limits count must be at least 1');
  const id = await ctx.change(async (tx) => {
    const draft = await tx.describe(request, 'GetUsageAllocation');
    const limits = usageLimitsOf(draft);
    if (limits === undefined) throw new Refusal('AttributeNotFound', `${draft.id} has no usage limits`);
    requireUse(draft, USE.GetUsageAllocation, ctx.now);
    take(draft, limits, units, 'UsageLimitExceeded');
    markChanged(draft, ctx.now);
    await tx.update(draft);
    await tx.audit(getUsageAllocation.event, draft.id);
    return draft.id;
  });
  return [text(TAG.UniqueIdentifier, id)];
}
