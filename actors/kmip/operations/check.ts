// Check: tells whether an object may be used as the client intends (KMIP specification 2.1 section 6.1.7).
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal, RefusedFields, type ResultReason } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { integerOf, intervalOf, longOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { requireOnLine } from '../object/availability.ts';
import { leaseSeconds } from '../object/lease.ts';
import { isDestroyed, stateAt } from '../object/lifecycle.ts';
import type { ObjectDescription } from '../object/managed-object.ts';
import { usageLimitsOf } from '../object/usage-limits.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const check = {
  name: 'Check',
  members: payloadMembers([...OBJECT, 'UsageLimitsCount', 'CryptographicUsageMask', 'LeaseTime']),
  run,
} satisfies Operation;

/** A field that asks for more than is permitted. */
interface Denial {
  readonly tag: number;
  readonly reason: ResultReason;
  readonly why: string;
}

/**
 * A use that is not permitted makes the operation fail, as in the test cases of the profiles (BL-M-2), and clears the ID placeholder. The answer has
 * all fields of the request that are not permitted, and no others.
 */
async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const object = await ctx.describe(request, 'Check');
  requireOnLine(object);
  const state = stateAt(object, ctx.now);
  if (isDestroyed(state)) {
    ctx.batch.placeholder = undefined;
    throw new Refusal('ObjectDestroyed', 'Check failed: the object is destroyed');
  }
  const denials = [maskDenial(request, object), unitsDenial(request, object), leaseDenial(request, object, state)].filter((each) => each !== undefined);
  const [first] = denials;
  if (first === undefined) return [text(TAG.UniqueIdentifier, object.id)];
  ctx.batch.placeholder = undefined;
  const fields = request.value.filter(({ tag }) => denials.some((each) => each.tag === tag));
  throw new RefusedFields(first.reason, `Check failed: ${denials.map(({ why }) => why).join('; ')}`, fields);
}

function maskDenial(request: Structure, { attributes }: ObjectDescription): Denial | undefined {
  const wanted = integerOf(request, TAG.CryptographicUsageMask) ?? 0;
  const mask = attributes.first(TAG.CryptographicUsageMask)?.value;
  const permitted = typeof mask === 'number' ? mask : 0;
  if ((wanted & ~permitted) === 0 || (permitted & MASK.CryptographicUsageMask.Unrestricted) !== 0) return undefined;
  const why = mask === undefined ? 'the object has no usage mask' : 'the usage mask does not permit all of these uses';
  return { tag: TAG.CryptographicUsageMask, reason: 'IncompatibleCryptographicUsageMask', why };
}

function unitsDenial(request: Structure, object: ObjectDescription): Denial | undefined {
  const units = longOf(request, TAG.UsageLimitsCount);
  if (units !== undefined && units < 0n) throw new Refusal('InvalidField', 'the usage limits count must not be negative');
  const limits = usageLimitsOf(object);
  if (units === undefined || limits === undefined || units <= limits.count) return undefined;
  return { tag: TAG.UsageLimitsCount, reason: 'UsageLimitExceeded', why: `only ${limits.count} units are left` };
}

function leaseDenial(request: Structure, object: ObjectDescription, state: number): Denial | undefined {
  const seconds = intervalOf(request, TAG.LeaseTime);
  if (seconds === undefined) return undefined;
  const denied = (why: string): Denial => ({ tag: TAG.LeaseTime, reason: 'PermissionDenied', why });
  if (state === ENUM.State.Compromised) return denied('the object is compromised; no lease is granted for it');
  return seconds > leaseSeconds(object) ? denied(`a lease lasts at most ${leaseSeconds(object)} seconds`) : undefined;
}
