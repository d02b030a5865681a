// AddAttribute: adds a value of an attribute to an object (KMIP specification 2.1 section 6.1.2).
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import type { Node, Structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { addValue } from '../object/attributes/attribute-change.ts';
import { givenAttribute } from '../object/attributes/attribute-input.ts';
import { changeAttribute } from '../object/attributes/attribute-transaction.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const addAttribute = {
  name: 'AddAttribute',
  members: payloadMembers([...OBJECT, 'NewAttribute']),
  event: 'key.attribute',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  return changeAttribute(request, ctx, 'AddAttribute', (draft) => {
    const { node, index } = givenAttribute(request, TAG.NewAttribute, draft.type, ctx);
    if (index !== undefined) throw new Refusal('InvalidField', 'the server assigns AttributeIndex; leave it out');
    return addValue(draft, node, ctx.now);
  });
}
