// ModifyAttribute: replaces an existing value of an attribute (KMIP specification 2.1 section 6.1.34).
import { referenceTo, sameReference } from '../../../kmip/attribute/reference.ts';
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import type { Node, Structure } from '../../../kmip/ttlv/node.ts';
import { child } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { modifyValue } from '../object/attributes/attribute-change.ts';
import { givenAttribute } from '../object/attributes/attribute-input.ts';
import { changeAttribute } from '../object/attributes/attribute-transaction.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const modifyAttribute = {
  name: 'ModifyAttribute',
  members: payloadMembers([...OBJECT, 'CurrentAttribute', 'NewAttribute']),
  event: 'key.attribute',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  return changeAttribute(request, ctx, 'ModifyAttribute', (draft) => {
    const { node, index } = givenAttribute(request, TAG.NewAttribute, draft.type, ctx);
    const current = child(request, TAG.CurrentAttribute) && givenAttribute(request, TAG.CurrentAttribute, draft.type, ctx).node;
    if (current && !sameReference(referenceTo(current), referenceTo(node)))
      throw new Refusal('InvalidField', 'CurrentAttribute and NewAttribute must be the same attribute');
    return modifyValue(draft, node, { index, current }, ctx.now);
  });
}
