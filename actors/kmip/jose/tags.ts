// Tags of keys: GET, POST and DELETE /v1/crypto/keys/{kid}/tags read and change the vendor attribute that holds them.
import { isTags, referenceTo } from '../../../kmip/attribute/reference.ts';
import { isStorable } from '../../../kmip/tags.ts';
import { structure, text as textNode } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { isLonger } from '../../../text/code-points.ts';
import { discoverKey } from '../message/discover.ts';
import { requireSize } from '../object/attributes/attribute-change.ts';
import { userTags } from '../object/index-terms.ts';
import { requireOnLine } from '../object/life/availability.ts';
import { markChanged } from '../object/life/lifecycle.ts';
import type { DescriptionDraft } from '../object/managed-object.ts';
import type { OperationContext } from '../operation-context.ts';
import { describeByKid } from './find-key.ts';
import type { Members } from './members.ts';
import { badRequest } from './problem.ts';

const NAME = 'tag';
/** Maximum tags in one request and on one key. */
const MAX_TAGS = 256;

/** @throws Problem, Refusal */
export async function getTags(kid: string, ctx: OperationContext): Promise<unknown> {
  const object = await describeByKid(ctx, kid, 'GetAttributes');
  return { kid: object.id, tags: userTags(object) };
}

/** @throws Problem, Refusal */
export function addTags(kid: string, body: Members, ctx: OperationContext): Promise<unknown> {
  const added = tagsOf(body);
  return changeTags(kid, ctx, (tags) => [...new Set([...tags, ...added])]);
}

/** Ignores tags that the key does not have. @throws Problem, Refusal */
export function deleteTags(kid: string, body: Members, ctx: OperationContext): Promise<unknown> {
  const deleted = new Set(tagsOf(body));
  return changeTags(kid, ctx, (tags) => tags.filter((tag) => !deleted.has(tag)));
}

/** Tags that begin with `_` are reserved for the server. */
function tagsOf(body: Members): readonly string[] {
  const tags = body['tags'];
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === 'string')) throw badRequest('tags is not an array of strings');
  if (tags.length > MAX_TAGS) throw badRequest(`tags has more than ${MAX_TAGS} entries`);
  if (tags.some((tag) => tag === '' || isLonger(tag, 255) || tag.startsWith('_') || !isStorable(tag)))
    throw badRequest('a tag must have 1 to 255 characters, must not begin with _, and must be valid Unicode without U+0000');
  return tags;
}

async function changeTags(kid: string, ctx: OperationContext, change: (tags: readonly string[]) => readonly string[]): Promise<unknown> {
  // A transaction must not wait for a token that has a key of somebody else.
  await discoverKey(ctx, kid);
  return ctx.change(async (tx) => {
    const draft = await describeByKid(tx, kid, 'ModifyAttribute');
    requireOnLine(draft);
    const tags = change(userTags(draft));
    writeTags(draft, tags, ctx.server.args.vendorIdentification);
    requireSize(draft);
    markChanged(draft, ctx.now);
    await tx.resize(draft);
    await tx.audit('key.attribute', draft.id);
    return { kid: draft.id, tags };
  });
}

function writeTags({ attributes }: DescriptionDraft, tags: readonly string[], vendor: string): void {
  for (const value of attributes.all(TAG.Attribute)) if (isTags(referenceTo(value.node))) attributes.removeValue(value);
  if (tags.length === 0) return;
  const members = [textNode(TAG.VendorIdentification, vendor), textNode(TAG.AttributeName, NAME), textNode(TAG.AttributeValue, JSON.stringify(tags))];
  attributes.add(structure(TAG.Attribute, members));
}
