// Reads the attributes in a client's request, checks them, resolves placeholders and returns them in the form in which they are stored.
import { requireNewValue } from '../../../../kmip/attribute/new-value.ts';
import { checkAttribute } from '../../../../kmip/attribute/rules.ts';
import type { ObjectType } from '../../../../kmip/object-type.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { type Node, type Structure, structure, TYPE, text } from '../../../../kmip/ttlv/node.ts';
import { child, integerOf, required, structureOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { Batch, OperationContext } from '../../operation-context.ts';
import { identifierText } from '../finding/identifier.ts';

interface GivenAttribute {
  readonly node: Node;
  /** Only clients of KMIP 1.x give an index. */
  readonly index: number | undefined;
}

/** @param tag NewAttribute or CurrentAttribute @throws Refusal InvalidMessage unless it holds exactly one attribute, and the refusals of checkInput */
export function givenAttribute(request: Structure, tag: number, type: ObjectType, ctx: OperationContext): GivenAttribute {
  const holder = required(structureOf(request, tag), tag);
  const [node, ...more] = holder.value.filter((each) => each.tag !== TAG.AttributeIndex);
  if (!node || more.length > 0) throw new Refusal('InvalidMessage', 'give exactly one attribute');
  const checked = checkInput(node, type, ctx);
  // A value that is there already may be named, to change or delete it, whatever limits there are now.
  if (tag === TAG.NewAttribute) requireNewValue(checked);
  return { node: checked, index: integerOf(holder, TAG.AttributeIndex) };
}

/**
 * Checks an attribute for an object of this type. @returns the form in which it is stored @throws Refusal InvalidAttribute, InvalidAttributeValue,
 * InvalidField
 */
function checkInput(node: Node, type: ObjectType, { batch }: Pick<OperationContext, 'batch'>): Node {
  return checkAttribute(node.tag === TAG.Link && node.type === TYPE.Structure ? resolvedLink(node, batch) : node, type);
}

/** A link may refer to an object that an earlier item of the batch created. */
function resolvedLink(link: Structure, batch: Batch): Structure {
  const target = child(link, TAG.LinkedObjectIdentifier);
  if (!target || target.type === TYPE.TextString) return link;
  const id = text(TAG.LinkedObjectIdentifier, identifierText(link, TAG.LinkedObjectIdentifier, batch));
  return structure(
    link.tag,
    link.value.map((node) => (node === target ? id : node)),
  );
}
