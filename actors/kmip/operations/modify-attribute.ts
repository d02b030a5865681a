// ModifyAttribute: puts another value in the place of one that is there (KMIP specification 2.1 section 6.1.34).
import { referenceTo, sameReference } from '../../../kmip/attribute/reference.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { child } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { modifyValue } from '../object/attribute-change.ts';
import { givenAttribute } from '../object/attribute-input.ts';
import { changeAttribute } from './change-attribute.ts';
import type { Operation } from './operation.ts';

export const modifyAttribute: Operation = async (request, ctx) =>
  changeAttribute(request, ctx, 'ModifyAttribute', (draft) => {
    const { node, index } = givenAttribute(request, TAG.NewAttribute, draft.type, ctx);
    const current = child(request, TAG.CurrentAttribute) && givenAttribute(request, TAG.CurrentAttribute, draft.type, ctx).node;
    if (current && !sameReference(referenceTo(current), referenceTo(node)))
      throw new Refusal('InvalidField', 'CurrentAttribute and NewAttribute are different attributes');
    return modifyValue(draft, node, { index, current }, ctx.now);
  });
