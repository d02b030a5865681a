// SetAttribute: adds an attribute, or replaces its only value (KMIP specification 2.1 section 6.1.51).
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import type { Node, Structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { setValue } from '../object/attributes/attribute-change.ts';
import { givenAttribute } from '../object/attributes/attribute-input.ts';
import { changeAttribute } from '../object/attributes/attribute-transaction.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const setAttribute = {
  name: 'SetAttribute',
  members: payloadMembers([...OBJECT, 'NewAttribute']),
  event: 'key.attribute',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  return changeAttribute(request, ctx, 'SetAttribute', (draft) => setValue(draft, givenAttribute(request, TAG.NewAttribute, draft.type, ctx).node, ctx.now));
}
