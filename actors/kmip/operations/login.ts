// Login: gives the caller a ticket, which proves it in the headers of later messages (KMIP specification 2.1 section 6.1.30).
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import type { Node, Structure } from '../../../kmip/ttlv/node.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { termsOf } from '../ticket-terms.ts';
import { issueTicket, ticketNode } from '../tickets.ts';

export const login = {
  name: 'Login',
  members: payloadMembers(['LeaseTime', 'RequestCount', 'UsageLimits']),
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const terms = termsOf(request, ctx.now);
  return [ticketNode(await ctx.change(({ tx }) => issueTicket(tx, ctx.caller.user, terms, ctx.now)))];
}
