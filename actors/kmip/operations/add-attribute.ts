// AddAttribute: gives an object a further value of an attribute (KMIP specification 2.1 section 6.1.2).
import { Refusal } from '../../../kmip/refusal.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { addValue } from '../object/attribute-change.ts';
import { givenAttribute } from '../object/attribute-input.ts';
import { changeAttribute } from './change-attribute.ts';
import type { Operation } from './operation.ts';

export const addAttribute: Operation = async (request, ctx) =>
  changeAttribute(request, ctx, 'AddAttribute', (draft) => {
    const { node, index } = givenAttribute(request, TAG.NewAttribute, draft.type, ctx);
    if (index !== undefined) throw new Refusal('InvalidField', 'AttributeIndex is given by the server');
    return addValue(draft, node, ctx.now);
  });
