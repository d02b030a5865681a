// DelegatedLogin: gives the caller a ticket for somebody else, who may then do in the caller's name what its Rights say (KMIP specification 2.1 section 6.1.12).
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import type { Node, Structure } from '../../../kmip/ttlv/node.ts';
import { required, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { auditActor } from '../principal.ts';
import { readRights } from '../rights.ts';
import { termsOf } from '../ticket-terms.ts';
import { issueDelegated, ticketNode } from '../tickets.ts';

export const delegatedLogin = {
  name: 'DelegatedLogin',
  members: payloadMembers(['LeaseTime', 'RequestCount', 'UsageLimits', 'Rights']),
  event: 'key.delegate',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const { caller, now, server } = ctx;
  const terms = termsOf(request, now);
  const rights = readRights(required(structureOf(request, TAG.Rights), TAG.Rights), (id) => server.objects.canonical(id));
  const ticket = await ctx.change(async ({ tx }) => {
    await tx.audit({ event: delegatedLogin.event, outcome: 'success', ...auditActor(caller) });
    return issueDelegated(tx, server.rows.seals, { owner: caller.user, rights }, terms, now);
  });
  return [ticketNode(ticket)];
}
