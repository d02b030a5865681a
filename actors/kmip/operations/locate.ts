// Locate: identifiers of the objects that have all the attributes asked for, one's own first, the newest before the others (KMIP 2.1 section 6.1.28).
import { Refusal } from '../../../kmip/refusal.ts';
import { integer, text } from '../../../kmip/ttlv/node.ts';
import { codeOf, integerOf, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { findObjects } from '../object/search.ts';
import type { Operation } from './operation.ts';

/** In one answer; the rest is had with OffsetItems. */
const MOST = 1_000;

export const locate: Operation = async (request, ctx) => {
  const maximum = natural(integerOf(request, TAG.MaximumItems), 'MaximumItems');
  const offset = natural(integerOf(request, TAG.OffsetItems), 'OffsetItems') ?? 0;
  const { ids, total } = await findObjects(ctx, {
    attributes: structureOf(request, TAG.Attributes)?.value ?? [],
    storage: integerOf(request, TAG.StorageStatusMask),
    groupMember: codeOf(request, TAG.ObjectGroupMember),
    offset,
    limit: Math.min(maximum ?? MOST, MOST),
  });
  return [integer(TAG.LocatedItems, total), ...ids.map((id) => text(TAG.UniqueIdentifier, id))];
};

function natural(value: number | undefined, name: string): number | undefined {
  if (value !== undefined && value < 0) throw new Refusal('InvalidField', `${name} is not negative`);
  return value;
}
