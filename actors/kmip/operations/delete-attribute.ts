// DeleteAttribute: deletes one value or all values of an attribute (KMIP specification 2.1 section 6.1.13).
import { readReference, referenceTo } from '../../../kmip/attribute/reference.ts';
import type { AttributeValue } from '../../../kmip/attribute/set.ts';
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { checkReference } from '../../../kmip/message/version-values.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import type { Node, Structure } from '../../../kmip/ttlv/node.ts';
import { child, children, integerOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { deleteAll, deleteValue } from '../object/attributes/attribute-change.ts';
import { givenAttribute } from '../object/attributes/attribute-input.ts';
import { changeAttribute } from '../object/attributes/attribute-transaction.ts';
import type { DescriptionDraft } from '../object/managed-object.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const deleteAttribute = {
  name: 'DeleteAttribute',
  members: payloadMembers([...OBJECT, 'CurrentAttribute', 'AttributeIndex'], ['AttributeReference']),
  event: 'key.attribute',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  return changeAttribute(request, ctx, 'DeleteAttribute', (draft) => remove(draft, request, ctx));
}

function remove(draft: DescriptionDraft, request: Structure, ctx: OperationContext): AttributeValue | undefined {
  if (child(request, TAG.CurrentAttribute)) {
    if (child(request, TAG.AttributeReference)) throw new Refusal('InvalidField', 'give either CurrentAttribute or AttributeReference, not both');
    const { node } = givenAttribute(request, TAG.CurrentAttribute, draft.type, ctx);
    return deleteValue(draft, referenceTo(node), { current: node });
  }
  const references = children(request, TAG.AttributeReference).map(readReference);
  const [first] = references;
  if (!first) throw new Refusal('InvalidMessage', 'missing field: CurrentAttribute or AttributeReference');
  for (const { tag } of references) checkReference(tag, ctx.version, 'InvalidAttribute');
  const index = integerOf(request, TAG.AttributeIndex);
  if (index !== undefined) return deleteValue(draft, first, { index });
  for (const reference of references) deleteAll(draft, reference);
  return undefined;
}
