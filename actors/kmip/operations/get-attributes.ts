// GetAttributes: returns all or the requested attributes of an object (KMIP specification 2.1 section 6.1.20).
import { andThen } from '../../../kernel/at-once.ts';
import { linkTypeOf } from '../../../kmip/attribute/link-tag.ts';
import { type AttributeReference, isTags, isValueOf, readReference, referenceTo, sameReference } from '../../../kmip/attribute/reference.ts';
import { ruleOf } from '../../../kmip/attribute/rules.ts';
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { tagName } from '../../../kmip/ttlv/names.ts';
import { type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { children } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { viewValues, withDigest } from '../object/attribute-view.ts';
import { toIndexedNodes } from '../object/attributes/attribute-transaction.ts';
import type { ObjectDescription } from '../object/managed-object.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const getAttributes = {
  name: 'GetAttributes',
  members: payloadMembers(OBJECT, ['AttributeReference']),
  run,
} satisfies Operation;

function run(request: Structure, ctx: OperationContext): readonly Node[] | Promise<readonly Node[]> {
  const references = readReferences(request);
  const isDigestAsked = references.length === 0 || references.some(({ tag }) => tag === TAG.Digest);
  const object = andThen(ctx.describe(request, 'GetAttributes'), (described) => (isDigestAsked ? withDigest(described, ctx) : described));
  return andThen(object, (found) => answer(found, references, ctx));
}

function answer(object: ObjectDescription, references: readonly AttributeReference[], ctx: OperationContext): readonly Node[] {
  const values = viewValues(object, ctx);
  const shown = references.length === 0 ? values : references.flatMap((reference) => values.filter(({ node }) => isMeant(reference, node)));
  // Only KMIP 1.x has an index.
  const nodes = ctx.version.major === 1 ? shown.flatMap(toIndexedNodes) : shown.map(({ node }) => node);
  return [text(TAG.UniqueIdentifier, object.id), structure(TAG.Attributes, nodes)];
}

/** Some clients request the tags by `Tag`, whatever vendor set them, and links by `LinkType`. */
function isMeant(asked: AttributeReference, node: Node): boolean {
  if (asked.tag === TAG.Tag) return isTags(referenceTo(node));
  return asked.tag === TAG.LinkType ? node.tag === TAG.Link : isValueOf(asked, node);
}

const isByPart = ({ tag }: AttributeReference): boolean => tag === TAG.Tag || tag === TAG.LinkType || linkTypeOf(tag) !== undefined;

/** @throws Refusal InvalidMessage for a duplicate reference, InvalidAttribute for a name that is not an attribute */
function readReferences(request: Structure): AttributeReference[] {
  const references = children(request, TAG.AttributeReference).map(readReference);
  for (const [place, reference] of references.entries()) {
    if (!ruleOf(reference.tag) && !isByPart(reference)) throw new Refusal('InvalidAttribute', `${tagName(reference.tag)} is not an attribute`);
    if (references.some((other, at) => at < place && sameReference(other, reference)))
      throw new Refusal('InvalidMessage', `${reference.name ?? tagName(reference.tag)} is requested twice`);
  }
  return references;
}
