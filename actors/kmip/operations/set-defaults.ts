// SetDefaults: sets the attributes that new objects of the caller get if a request does not give them (KMIP specification 2.1 section 6.1.53).
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import type { Node, Structure } from '../../../kmip/ttlv/node.ts';
import { structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { requireDefaults } from '../policy/defaults.ts';
import { checkedScopes } from '../policy/scoped-attributes.ts';

export const setDefaults = {
  name: 'SetDefaults',
  members: payloadMembers(['DefaultsInformation']),
  event: 'key.set_defaults',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const given = structureOf(request, TAG.DefaultsInformation);
  const checked = given && checkedScopes(given);
  if (checked) requireDefaults(checked);
  await ctx.setPolicy(setDefaults.event, 'defaults', checked);
  return [];
}
