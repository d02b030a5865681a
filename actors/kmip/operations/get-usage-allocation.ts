// GetUsageAllocation: a client takes units of a key's usage limits to use them itself (KMIP specification 2.1 section 6.1.23).
import { Refusal } from '../../../kmip/refusal.ts';
import { text } from '../../../kmip/ttlv/node.ts';
import { longOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { changed } from '../object/lifecycle.ts';
import { requireUse, USE } from '../object/usage.ts';
import { take, usageLimitsOf } from '../object/usage-limits.ts';
import type { Operation } from './operation.ts';

export const getUsageAllocation: Operation = async (request, ctx) => {
  const units = required(longOf(request, TAG.UsageLimitsCount), TAG.UsageLimitsCount);
  if (units < 1n) throw new Refusal('InvalidField', 'the usage limits count must be at least 1');
  const id = await ctx.change(async (tx) => {
    const draft = await tx.describe(request, 'GetUsageAllocation');
    const limits = usageLimitsOf(draft);
    if (limits === undefined) throw new Refusal('AttributeNotFound', `${draft.id} has no usage limits`);
    requireUse(draft, USE.GetUsageAllocation, ctx.now);
    take(draft, limits, units, 'UsageLimitExceeded');
    changed(draft, ctx.now);
    await tx.update(draft);
    await tx.audit('key.allocate', draft.id);
    return draft.id;
  });
  return [text(TAG.UniqueIdentifier, id)];
};
