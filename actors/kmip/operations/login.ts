// Login: gives the caller a ticket, which proves it in the headers of later messages (KMIP specification 2.1 section 6.1.30).
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { bytes, enumeration, type Node, type Structure, structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { child, integerOf, intervalOf, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { issueTicket } from '../tickets.ts';

export const login = {
  name: 'Login',
  members: payloadMembers(['LeaseTime', 'RequestCount', 'UsageLimits']),
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  if (structureOf(request, TAG.UsageLimits)) throw new Refusal('FeatureNotSupported', 'tickets have no UsageLimits: give a RequestCount');
  const requests = integerOf(request, TAG.RequestCount) ?? null;
  if (requests !== null && requests < 1) throw new Refusal('InvalidField', 'RequestCount must be at least 1');
  const terms = { endsAt: endOf(request, ctx.now), requests };
  const ticket = await ctx.change(({ tx }) => issueTicket(tx, ctx.caller.user, terms, ctx.now));
  return [structure(TAG.Ticket, [enumeration(TAG.TicketType, ENUM.TicketType.Login), bytes(TAG.TicketValue, ticket)])];
}

/** Without a LeaseTime, and with one of 0, a ticket has no end, as in the test cases of OASIS (TC-LOGIN). */
function endOf(request: Structure, now: number): number | null {
  const lease = child(request, TAG.LeaseTime);
  if (lease?.type === TYPE.DateTime) {
    if (lease.value <= now) throw new Refusal('InvalidField', 'LeaseTime must be in the future');
    return lease.value;
  }
  const seconds = intervalOf(request, TAG.LeaseTime) ?? 0;
  return seconds === 0 ? null : now + seconds;
}
