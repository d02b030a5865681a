// Reads the attributes of a client's request: checked, with placeholders resolved, as they are stored.
import type { OperationContext } from '../operations/operation.ts';
import { Refusal } from '../refusal.ts';
import { type Node, type Structure, structure, TYPE, text } from '../ttlv/node.ts';
import { child, integerOf, required, structureOf, textOf } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';
import { checkAttribute } from './attribute-rules.ts';
import { identifierText } from './identifier.ts';
import { parseTags } from './index-terms.ts';
import type { ObjectType } from './managed-object.ts';

export interface GivenAttribute {
  readonly node: Node;
  /** Of clients of KMIP 1.x. */
  readonly index: number | undefined;
}

/** @param tag NewAttribute or CurrentAttribute @throws Refusal InvalidMessage where it holds not one attribute, and those of checkInput */
export function givenAttribute(request: Structure, tag: number, type: ObjectType, ctx: OperationContext): GivenAttribute {
  const holder = required(structureOf(request, tag), tag);
  const [node, ...more] = holder.value.filter((each) => each.tag !== TAG.AttributeIndex);
  if (!node || more.length > 0) throw new Refusal('InvalidMessage', 'one attribute is expected');
  return { node: checkInput(node, type, ctx), index: integerOf(holder, TAG.AttributeIndex) };
}

/** An attribute for an object of this type. @returns the form in which it is stored @throws Refusal InvalidAttribute, InvalidAttributeValue, InvalidField */
export function checkInput(node: Node, type: ObjectType, ctx: Pick<OperationContext, 'batch' | 'server'>): Node {
  const checked = checkAttribute(node, type);
  if (checked.type !== TYPE.Structure) return checked;
  if (checked.tag === TAG.Attribute) requireTags(checked, ctx.server.args.vendorIdentification);
  return checked.tag === TAG.Link ? resolvedLink(checked, ctx) : checked;
}

function resolvedLink(link: Structure, { batch }: Pick<OperationContext, 'batch'>): Structure {
  if (child(link, TAG.LinkedObjectIdentifier)?.type === TYPE.TextString) return link;
  const id = text(TAG.LinkedObjectIdentifier, identifierText(link, TAG.LinkedObjectIdentifier, batch));
  return structure(
    link.tag,
    link.value.map((node) => (node.tag === TAG.LinkedObjectIdentifier ? id : node)),
  );
}

/** Tags are the vendor attribute `tag`: a JSON array of texts; those that begin with _ are the server's. @throws Refusal InvalidAttributeValue */
function requireTags(node: Structure, vendorIdentification: string): void {
  const vendor = textOf(node, TAG.VendorIdentification);
  if (textOf(node, TAG.AttributeName) !== 'tag' || (vendor !== vendorIdentification && vendor !== 'cosmian')) return;
  const value = child(node, TAG.AttributeValue);
  const tags = value?.type === TYPE.TextString ? parseTags(value.value) : undefined;
  if (!tags) throw new Refusal('InvalidAttributeValue', 'tags are a JSON array of texts');
  const reserved = tags.find((tag) => tag === '' || tag.startsWith('_'));
  if (reserved !== undefined) throw new Refusal('InvalidAttributeValue', 'a tag is not empty and does not begin with _');
}
