// Converts JSON strings and numbers to values of each TTLV type.
import { microsecondsOf } from './date-time.ts';
import { enumerationNames, maskNames } from './enumeration-of.ts';
import { asInteger, asLong, asUnsigned, bigOf, booleanOf, bytesOfHex, codeOf, dateOf, integerOf, longOf, maskOf, unsignedOf } from './lexical.ts';
import { type Node, TYPE } from './node.ts';

/** Types whose values may be any text, or numbers that JSON cannot represent exactly. */
const AS_TEXT: ReadonlySet<number> = new Set([
  ...[TYPE.TextString, TYPE.Identifier, TYPE.Reference, TYPE.NameReference],
  ...[TYPE.ByteString, TYPE.LongInteger, TYPE.BigInteger],
]);
/** Numbers and booleans. For types that are not in `AS_TEXT`, these must not be in quotes. */
const BARE = /^(?:-?[0-9]+|true|false)$/i;

/** @param attribute AttributeName of the 1.x Attribute that contains the AttributeValue @returns undefined if the text is not a valid value of the type */
export function fromText(tag: number, type: number, value: string, attribute: string | undefined): Node | undefined {
  if (!AS_TEXT.has(type) && BARE.test(value)) return undefined;
  switch (type) {
    case TYPE.TextString:
    case TYPE.Identifier:
    case TYPE.Reference:
    case TYPE.NameReference:
      return value.isWellFormed() ? { tag, type, value } : undefined;
    case TYPE.ByteString:
      return checkNode(tag, type, bytesOfHex(value));
    case TYPE.Enumeration:
      return checkNode(tag, type, codeOf(value, enumerationNames(tag, attribute)));
    case TYPE.Integer: {
      const names = maskNames(tag, attribute);
      return checkNode(tag, type, names === undefined ? integerOf(value) : maskOf(value, names));
    }
    case TYPE.LongInteger:
      return checkNode(tag, type, longOf(value));
    case TYPE.BigInteger:
      return checkNode(tag, type, bigOf(value));
    case TYPE.Boolean:
      return checkNode(tag, type, booleanOf(value));
    case TYPE.DateTime:
      return checkNode(tag, type, dateOf(value));
    case TYPE.Interval:
      return checkNode(tag, type, unsignedOf(value));
    case TYPE.DateTimeExtended:
      return checkNode(tag, type, asLong(microsecondsOf(value)) ?? longOf(value));
    default:
      return undefined;
  }
}

/** Like `fromText`. Rejects numbers beyond 2^53, because JSON.parse has already lost some of their digits. */
export function fromNumber(tag: number, type: number, value: number): Node | undefined {
  if (!Number.isSafeInteger(value)) return undefined;
  switch (type) {
    case TYPE.Integer:
      return checkNode(tag, type, asInteger(value));
    case TYPE.Enumeration:
    case TYPE.Interval:
      return checkNode(tag, type, asUnsigned(value));
    case TYPE.DateTime:
      return { tag, type, value: value === 0 ? 0 : value }; // JSON has a negative zero, KMIP does not.
    case TYPE.LongInteger:
    case TYPE.BigInteger:
    case TYPE.DateTimeExtended:
      return { tag, type, value: BigInt(value) };
    default:
      return undefined;
  }
}

function checkNode(tag: number, type: Node['type'], value: Node['value'] | undefined): Node | undefined {
  return value === undefined ? undefined : ({ tag, type, value } as Node);
}
