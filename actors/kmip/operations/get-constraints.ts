// GetConstraints: returns the attributes that new objects of the caller must have (KMIP specification 2.1 section 6.1.22).
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import type { Node, Structure } from '../../../kmip/ttlv/node.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const getConstraints = {
  name: 'GetConstraints',
  members: payloadMembers([]),
  run,
} satisfies Operation;

async function run(_request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  return [(await ctx.policy()).told.constraints];
}
