// What all operations on attributes share: the transaction, the state that follows from new dates, and the audit row.
import type { AttributeValue } from '../../../../kmip/attribute/set.ts';
import type { OperationName } from '../../../../kmip/operation-name.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { integer, type Node, type Structure, structure, text } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { OperationContext } from '../../operation-context.ts';
import { owns } from '../../principal.ts';
import { keysetOf } from '../index-terms.ts';
import { requireOnLine } from '../life/availability.ts';
import { markChanged, settle } from '../life/lifecycle.ts';
import type { DescriptionDraft } from '../managed-object.ts';
import { requireKeptProtection, requireOwnersProtection } from '../protection.ts';
import { requireSize } from './attribute-change.ts';
import { requireOrderedDates } from './attribute-dates.ts';

/**
 * @param work changes the draft and returns the value for the response to clients of KMIP 1.x
 * @returns the members of the response: UniqueIdentifier; for 1.x also NewAttribute
 */
export async function changeAttribute(
  request: Structure,
  ctx: OperationContext,
  right: OperationName,
  work: (draft: DescriptionDraft) => AttributeValue | undefined,
): Promise<readonly Node[]> {
  return ctx.change(async (tx) => {
    const draft = await tx.describe(request, right);
    requireOnLine(draft);
    settle(draft, ctx.now);
    const before = { attributes: draft.attributes.copy() };
    const value = work(draft);
    if (ctx.server.objects.sourceOf(draft.id).keeper) requireKeptProtection(draft.id, before.attributes, draft.attributes);
    if (!owns(ctx.caller, draft.owner)) requireOwners(draft, before);
    requireOrderedDates(draft, ctx.now);
    requireSize(draft);
    settle(draft, ctx.now);
    markChanged(draft, ctx.now);
    await tx.resize(draft);
    await tx.audit('key.attribute', draft.id);
    const id = text(TAG.UniqueIdentifier, draft.id);
    return value && ctx.version.major === 1 ? [id, structure(TAG.NewAttribute, toIndexedNodes(value))] : [id];
  });
}

/** @param before the change by somebody else than the owner @throws Refusal PermissionDenied for what only the owner may do */
function requireOwners(draft: DescriptionDraft, before: Pick<DescriptionDraft, 'attributes'>): void {
  requireOwnersProtection(draft.id, before.attributes, draft.attributes);
  // In another keyset, the object would pass for another key of its owner.
  if (keysetOf(draft) !== keysetOf(before)) throw new Refusal('PermissionDenied', `DENIED: only the owner of ${draft.id} can put it into a keyset`);
}

/** A value of an attribute, preceded by its index unless the index is 0. */
export function toIndexedNodes({ index, node }: AttributeValue): Node[] {
  return index === 0 ? [node] : [integer(TAG.AttributeIndex, index), node];
}
