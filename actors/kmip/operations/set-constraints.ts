// SetConstraints: sets the attributes that new objects of the caller must have (KMIP specification 2.1 section 6.1.52).
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import type { Node, Structure } from '../../../kmip/ttlv/node.ts';
import { structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { checkedScopes } from '../policy/scoped-attributes.ts';

export const setConstraints = {
  name: 'SetConstraints',
  members: payloadMembers(['Constraints']),
  event: 'key.set_constraints',
  run,
} satisfies Operation;

/** Without Constraints, as SetDefaults without DefaultsInformation, it removes them; the test cases of OASIS do so (TC-MD-24). */
async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const given = structureOf(request, TAG.Constraints);
  await ctx.setPolicy(setConstraints.event, 'constraints', given && checkedScopes(given));
  return [];
}
