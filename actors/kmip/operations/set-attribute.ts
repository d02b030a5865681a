// SetAttribute: adds an attribute, or changes the only value that there is (KMIP specification 2.1 section 6.1.51).
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { setValue } from '../object/attribute-change.ts';
import { givenAttribute } from '../object/attribute-input.ts';
import { changeAttribute } from './change-attribute.ts';
import type { Operation } from './operation.ts';

export const setAttribute: Operation = async (request, ctx) =>
  changeAttribute(request, ctx, 'SetAttribute', (draft) => setValue(draft, givenAttribute(request, TAG.NewAttribute, draft.type, ctx).node, ctx.now));
