// Check: tells whether an object may be used as the client intends (KMIP specification 2.1 section 6.1.7).
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal, type ResultReason } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { integerOf, intervalOf, longOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { leaseSeconds } from '../object/attributes/lease.ts';
import { requireOnLine } from '../object/life/availability.ts';
import { isDestroyed, stateAt } from '../object/life/lifecycle.ts';
import { usageLimitsOf } from '../object/life/usage-limits.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const check = {
  name: 'Check',
  members: payloadMembers([...OBJECT, 'UsageLimitsCount', 'CryptographicUsageMask', 'LeaseTime']),
  run,
} satisfies Operation;

/** A use that is not permitted makes the operation fail, as in the test cases of the profiles (BL-M-2), and clears the ID placeholder. */
async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const object = await ctx.describe(request, 'Check');
  requireOnLine(object);
  const state = stateAt(object, ctx.now);
  if (isDestroyed(state)) throw deny(ctx, 'ObjectDestroyed', 'the object is destroyed');
  const wanted = integerOf(request, TAG.CryptographicUsageMask) ?? 0;
  const mask = object.attributes.first(TAG.CryptographicUsageMask)?.value;
  const permitted = typeof mask === 'number' ? mask : 0;
  if ((wanted & ~permitted) !== 0 && (permitted & MASK.CryptographicUsageMask.Unrestricted) === 0)
    throw deny(
      ctx,
      'IncompatibleCryptographicUsageMask',
      mask === undefined ? 'the object has no usage mask' : 'the usage mask does not permit all of these uses',
    );
  const units = longOf(request, TAG.UsageLimitsCount);
  if (units !== undefined && units < 0n) throw new Refusal('InvalidField', 'the usage limits count must not be negative');
  const limits = usageLimitsOf(object);
  if (units !== undefined && limits !== undefined && units > limits.count) throw deny(ctx, 'UsageLimitExceeded', `only ${limits.count} units are left`);
  const seconds = intervalOf(request, TAG.LeaseTime);
  if (seconds !== undefined && state === ENUM.State.Compromised) throw deny(ctx, 'PermissionDenied', 'the object is compromised; no lease is granted for it');
  if (seconds !== undefined && seconds > leaseSeconds(object)) throw deny(ctx, 'PermissionDenied', `a lease lasts at most ${leaseSeconds(object)} seconds`);
  return [text(TAG.UniqueIdentifier, object.id)];
}

function deny(ctx: OperationContext, reason: ResultReason, why: string): Refusal {
  ctx.batch.placeholder = undefined;
  // Section 4.9 of 1.0 ends the batch; later versions leave that to the client, who says what is to happen after a failure.
  if (ctx.version.major === 1 && ctx.version.minor === 0) ctx.batch.isOver = true;
  return new Refusal(reason, `Check failed: ${why}`);
}
