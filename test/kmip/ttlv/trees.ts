// Random TTLV trees of known tags with values of every type, and how a tree is compared.
import fc from 'fast-check';
import { attributeName, enumerationNames } from '../../../kmip/ttlv/enumeration-of.ts';
import { type Node, type Structure, structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';

const LONG = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

/** Text that every encoding can carry: XML has no control characters but three. */
const character = fc.oneof(
  fc.constantFrom('\t', '\n', '\r', ' ', '"', '&', '<', '>', "'", '\\', '\u2028', '\ufffd', '😀', 'é', '%'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
);
const text = fc.array(character, { maxLength: 40 }).map((parts) => parts.join(''));

const leaf = (tag: number): fc.Arbitrary<Node> => {
  const node = <T extends Node['type']>(type: T, value: fc.Arbitrary<Extract<Node, { type: T }>['value']>) =>
    value.map((each) => ({ tag, type, value: each }) as unknown as Node);
  return fc.oneof(
    node(TYPE.Integer, fc.integer()),
    node(TYPE.LongInteger, fc.bigInt(LONG)),
    node(TYPE.BigInteger, fc.bigInt({ min: -(2n ** 300n), max: 2n ** 300n })),
    node(TYPE.Enumeration, fc.oneof(fc.integer({ min: 1, max: 70 }), fc.nat(0xffff_ffff))),
    node(TYPE.Boolean, fc.boolean()),
    node(TYPE.TextString, text),
    node(TYPE.ByteString, fc.uint8Array({ maxLength: 70 })),
    node(TYPE.DateTime, fc.oneof(fc.integer(), fc.maxSafeInteger())),
    node(TYPE.Interval, fc.nat(0xffff_ffff)),
    node(TYPE.DateTimeExtended, fc.oneof(fc.bigInt(LONG), fc.bigInt({ min: -(10n ** 15n), max: 10n ** 16n }))),
  );
};

const tag = fc.oneof(fc.constantFrom(...Object.values(TAG)), fc.integer({ min: 0x540000, max: 0x54ffff }), fc.constant(0x42ffff));

const { node } = fc.letrec<{ node: Node; structure: Structure }>((tie) => ({
  node: fc.oneof({ maxDepth: 5, withCrossShrink: true }, tag.chain(leaf), tie('structure')),
  structure: fc.tuple(tag, fc.array(tie('node'), { maxLength: 5 })).map(([number, children]) => structure(number, children)),
}));

/** A message with anything inside. */
export const trees: fc.Arbitrary<Structure> = fc.tuple(tag, fc.array(node, { maxLength: 6 })).map(([number, children]) => structure(number, children));

/** Values that every enumeration has. */
const known = fc.integer({ min: 1, max: 4 }).map((value): Node => ({ tag: TAG.AttributeValue, type: TYPE.Enumeration, value }));

/** An Attribute of KMIP 1.x, its name before or after its value. */
export const attributes: fc.Arbitrary<Structure> = fc
  .tuple(
    fc.constantFrom('Cryptographic Algorithm', 'State', 'Cryptographic Usage Mask', 'Object Type', 'x-mine'),
    fc.oneof(leaf(TAG.AttributeValue), known),
    fc.boolean(),
  )
  .map(([name, value, first]) => {
    const named: Node = { tag: TAG.AttributeName, type: TYPE.TextString, value: name };
    return structure(TAG.Attribute, first ? [named, value] : [value, named]);
  });

/** A tree with plain arrays of bytes, so that a Buffer equals a Uint8Array. */
export function plain(each: Node): unknown {
  if (each.type === TYPE.Structure) return { ...each, value: each.value.map(plain) };
  return each.type === TYPE.ByteString ? { ...each, value: [...each.value] } : each;
}

/** Whether an enumeration's value is written by a name; used to see that both ways are met. */
export function isNamed(parent: Structure): boolean {
  const attribute = attributeName(parent);
  return parent.value.some((each) => each.type === TYPE.Enumeration && enumerationNames(each.tag, attribute)?.name(each.value) !== undefined);
}
