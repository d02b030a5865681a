// ObtainLease (KMIP specification 2.1 section 6.1.35).
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { dateTime, interval, type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { leaseSeconds } from '../object/attributes/lease.ts';
import { requireAvailable } from '../object/life/availability.ts';
import { dateAttribute } from '../object/life/lifecycle.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

const { State } = ENUM;

export const obtainLease = {
  name: 'ObtainLease',
  members: payloadMembers(OBJECT),
  run,
} satisfies Operation;

/** Leases are not tracked. Archived, destroyed and compromised objects get none. */
async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const object = await ctx.describe(request, 'ObtainLease');
  if (requireAvailable(object, ctx.now) === State.Compromised) throw new Refusal('PermissionDenied', `${object.id} is compromised; no lease is granted for it`);
  const changed = dateAttribute(object.attributes, TAG.LastChangeDate) ?? dateAttribute(object.attributes, TAG.InitialDate) ?? ctx.now;
  return [text(TAG.UniqueIdentifier, object.id), interval(TAG.LeaseTime, leaseSeconds(object)), dateTime(TAG.LastChangeDate, changed)];
}
