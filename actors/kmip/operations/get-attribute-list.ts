// GetAttributeList: lists the names of an object's attributes (KMIP specification 2.1 section 6.1.21).
import { linkTagOf } from '../../../kmip/attribute/link-tag.ts';
import { type AttributeReference, referenceNode, referenceTo, sameReference } from '../../../kmip/attribute/reference.ts';
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { type Node, type Structure, TYPE, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { viewAttributes, withDigest } from '../object/attribute-view.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const getAttributeList = {
  name: 'GetAttributeList',
  members: payloadMembers(OBJECT),
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const object = await withDigest(await ctx.describe(request, 'GetAttributeList'), ctx);
  const references: AttributeReference[] = [];
  for (const reference of viewAttributes(object, ctx).map(ctx.version.major >= 3 ? referenceOf3 : referenceTo))
    if (!references.some((other) => sameReference(other, reference))) references.push(reference);
  return [text(TAG.UniqueIdentifier, object.id), ...references.map(referenceNode)];
}

/** In KMIP 3.0 each type of link is an attribute. */
function referenceOf3(node: Node): AttributeReference {
  const tag = node.tag === TAG.Link && node.type === TYPE.Structure ? linkTagOf(node) : undefined;
  return tag === undefined ? referenceTo(node) : { tag };
}
