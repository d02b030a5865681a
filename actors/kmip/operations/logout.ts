// Logout: ends a ticket of the caller (KMIP specification 2.1 section 6.1.31).
import { ticketIn } from '../../../kmip/message/header-credentials.ts';
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import type { Node, Structure } from '../../../kmip/ttlv/node.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { endTicket } from '../tickets.ts';

export const logout = {
  name: 'Logout',
  members: payloadMembers(['Ticket']),
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const ticket = ticketIn(request);
  await ctx.change(({ tx }) => endTicket(tx, ctx.caller.user, ticket, ctx.now));
  return [];
}
