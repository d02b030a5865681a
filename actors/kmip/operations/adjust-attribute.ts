// AdjustAttribute: increments, decrements or negates an attribute (KMIP specification 2.1 sections 6.1.3 and 11.1).
import { type AttributeReference, readReference, valuesOf } from '../../../kmip/attribute/reference.ts';
import { mayClientModify, readOnly, ruleOf } from '../../../kmip/attribute/rules.ts';
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { checkReference } from '../../../kmip/message/version-values.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { tagName } from '../../../kmip/ttlv/names.ts';
import { type Node, type Structure, structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { child, enumNameOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { setValue } from '../object/attributes/attribute-change.ts';
import { changeAttribute } from '../object/attributes/attribute-transaction.ts';
import type { DescriptionDraft } from '../object/managed-object.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

type Adjustment = 'Increment' | 'Decrement' | 'Negate';

export const adjustAttribute = {
  name: 'AdjustAttribute',
  members: payloadMembers([...OBJECT, 'AttributeReference', 'AdjustmentType', 'AdjustmentValue']),
  event: 'key.attribute',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const reference = readReference(required(child(request, TAG.AttributeReference), TAG.AttributeReference));
  checkReference(reference.tag, ctx.version, 'UnsupportedAttribute');
  const adjustment = required(enumNameOf(request, TAG.AdjustmentType, 'AdjustmentType'), TAG.AdjustmentType);
  return changeAttribute(request, ctx, 'AdjustAttribute', (draft) => {
    const attribute = presentValue(draft, reference);
    return setValue(draft, adjust(attribute, adjustment, child(request, TAG.AdjustmentValue)), ctx.now);
  });
}

/** The only value of the attribute; if it has none, the initial value of the specification. @throws Refusal */
function presentValue(draft: DescriptionDraft, reference: AttributeReference): Node {
  if (ruleOf(reference.tag) && !mayClientModify(reference.tag)) throw readOnly(reference.tag);
  const [value, ...more] = valuesOf(draft.attributes, reference);
  if (more.length > 0) throw new Refusal('MultiValuedAttribute', `${tagName(reference.tag)} has several values`);
  if (value) return value.node;
  const rule = ruleOf(reference.tag);
  if (!rule) throw new Refusal('UnsupportedAttribute', `${tagName(reference.tag)} is not an attribute`);
  if (rule.type === TYPE.Integer || rule.type === TYPE.Interval) return { tag: reference.tag, type: rule.type, value: 0 };
  if (rule.type === TYPE.Boolean) return { tag: reference.tag, type: rule.type, value: false };
  throw new Refusal('ItemNotFound', `the object has no ${reference.name ?? tagName(reference.tag)}`);
}

/** Adjusts an attribute; of a vendor attribute, its AttributeValue. @throws Refusal InvalidDataType, NumericRange */
function adjust(node: Node, adjustment: Adjustment, by: Node | undefined): Node {
  if (node.tag !== TAG.Attribute || node.type !== TYPE.Structure) return adjustedValue(node, adjustment, by);
  return structure(
    node.tag,
    node.value.map((member) => (member.tag === TAG.AttributeValue ? adjustedValue(member, adjustment, by) : member)),
  );
}

function adjustedValue(node: Node, adjustment: Adjustment, by: Node | undefined): Node {
  if (node.type === TYPE.Boolean && adjustment === 'Negate') return { ...node, value: !node.value };
  const range = RANGES.get(node.type);
  const negatable = node.type !== TYPE.Interval && node.type !== TYPE.DateTime && node.type !== TYPE.DateTimeExtended;
  if (!range || (adjustment === 'Negate' && !negatable)) throw new Refusal('InvalidDataType', `${tagName(node.tag)} cannot be adjusted by ${adjustment}`);
  const value = BigInt(node.value as number | bigint);
  const result = adjustment === 'Negate' ? -value : adjustment === 'Increment' ? value + amount(by) : value - amount(by);
  if (result < range[0] || result > range[1]) throw new Refusal('NumericRange', `${tagName(node.tag)} would be out of its range`);
  return { ...node, value: typeof node.value === 'bigint' ? result : Number(result) } as Node;
}

function amount(by: Node | undefined): bigint {
  if (!by) return 1n;
  if (!RANGES.has(by.type)) throw new Refusal('InvalidDataType', 'AdjustmentValue must be a number');
  return BigInt(by.value as number | bigint);
}

const LONG = [-(2n ** 63n), 2n ** 63n - 1n] as const;

/** The types that can be counted, with their bounds. */
const RANGES: ReadonlyMap<number, readonly [bigint, bigint]> = new Map([
  [TYPE.Integer, [-(2n ** 31n), 2n ** 31n - 1n]],
  [TYPE.Interval, [0n, 2n ** 32n - 1n]],
  [TYPE.DateTime, [-(2n ** 53n) + 1n, 2n ** 53n - 1n]],
  [TYPE.LongInteger, LONG],
  [TYPE.DateTimeExtended, LONG],
  [TYPE.BigInteger, [-(2n ** 4096n), 2n ** 4096n]],
] as const);
