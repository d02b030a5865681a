// Builds the tree from parsed JSON: members in any order, names in any spelling, numbers as numbers or in hexadecimal.
import { microsecondsOf } from './date-time.ts';
import { enumerationNames, maskNames, TYPE_NAMES } from './enumeration-of.ts';
import { asInteger, asLong, asUnsigned, bigOf, booleanOf, bytesOfHex, codeOf, dateOf, integerOf, longOf, maskOf, unsignedOf } from './lexical.ts';
import { type Limits, MOST_DEPTH } from './limits.ts';
import { TAG_NAMES, tagOf } from './names.ts';
import { type Node, type Structure, TYPE } from './node.ts';
import { Place, quoted } from './place.ts';
import { TAG } from './tag.ts';

/** What a node looks like after JSON.parse, before anything of it is checked. */
export interface JsonNode {
  readonly tag?: unknown;
  readonly type?: unknown;
  readonly value?: unknown;
}

type Members = readonly unknown[];

/** Reads one message; made for each. */
export class JsonReader {
  readonly #place = new Place();
  #left: number;

  constructor(limits: Limits) {
    this.#left = limits.nodes;
  }

  /** @throws Refusal InvalidMessage with the path of the field */
  message(json: unknown): Structure {
    const node = this.#node(json, 0, undefined);
    if (node.type !== TYPE.Structure) throw this.#place.refusal(0, 'a message is a structure');
    return node;
  }

  /** The fields of a bare operation, as its RequestPayload. */
  payload({ type, value }: JsonNode): Structure {
    this.#place.enter(0, TAG.RequestPayload);
    if ((type !== undefined && this.#type(type, 0) !== TYPE.Structure) || !Array.isArray(value)) throw this.#place.refusal(0, 'value is not an array');
    return { tag: TAG.RequestPayload, type: TYPE.Structure, value: this.#children(TAG.RequestPayload, value, 0) };
  }

  #node(json: unknown, depth: number, attribute: string | undefined): Node {
    if (typeof json !== 'object' || json === null) throw this.#place.refusal(depth - 1, 'a field is an object with tag, type and value');
    const { tag: name, type, value } = json as JsonNode;
    if (typeof name !== 'string') throw this.#place.refusal(depth - 1, 'a field without a tag');
    const tag = tagOf(name);
    if (tag === undefined) throw this.#place.refusal(depth - 1, `unknown tag: ${quoted(name)}`);
    this.#place.enter(depth, tag);
    if (--this.#left < 0) throw this.#place.refusal(depth, 'too many fields in one message');
    const code = type === undefined && Array.isArray(value) ? TYPE.Structure : this.#type(type, depth);
    if (code === TYPE.Structure) {
      if (!Array.isArray(value)) throw this.#place.refusal(depth, 'the value of a Structure is an array');
      return { tag, type: code, value: this.#children(tag, value, depth) };
    }
    const node = typeof value === 'string' ? fromText(tag, code, value, attribute) : typeof value === 'number' ? fromNumber(tag, code, value) : undefined;
    if (node !== undefined) return node;
    if (code === TYPE.Boolean && typeof value === 'boolean') return { tag, type: code, value };
    throw this.#unreadable(code, value, depth);
  }

  #type(type: unknown, depth: number): number {
    if (type === undefined) throw this.#place.refusal(depth, 'the type is missing');
    const code = typeof type === 'string' ? TYPE_NAMES.code(type) : undefined;
    if (code === undefined) throw this.#place.refusal(depth, `unknown type${typeof type === 'string' ? `: ${quoted(type)}` : ''}`);
    return code;
  }

  #children(tag: number, members: Members, depth: number): Node[] {
    if (depth >= MOST_DEPTH) throw this.#place.refusal(depth, `structures nested deeper than ${MOST_DEPTH}`);
    const attribute = tag === TAG.Attribute ? attributeOf(members) : undefined;
    const nodes: Node[] = [];
    for (const member of members) nodes.push(this.#node(member, depth + 1, attribute));
    return nodes;
  }

  /** Names are told, values are not: they may be secrets. */
  #unreadable(type: number, value: unknown, depth: number) {
    if (type === TYPE.Enumeration && typeof value === 'string') return this.#place.refusal(depth, `unknown value: ${quoted(value)}`);
    return this.#place.refusal(depth, `not a value of type ${TYPE_NAMES.name(type)}`);
  }
}

function fromText(tag: number, type: number, value: string, attribute: string | undefined): Node | undefined {
  switch (type) {
    case TYPE.TextString:
      return value.isWellFormed() ? { tag, type, value } : undefined;
    case TYPE.ByteString:
      return checked(tag, type, bytesOfHex(value));
    case TYPE.Enumeration:
      return checked(tag, type, codeOf(value, enumerationNames(tag, attribute)));
    case TYPE.Integer: {
      const names = maskNames(tag, attribute);
      return checked(tag, type, names === undefined ? integerOf(value) : maskOf(value, names));
    }
    case TYPE.LongInteger:
      return checked(tag, type, longOf(value));
    case TYPE.BigInteger:
      return checked(tag, type, bigOf(value));
    case TYPE.Boolean:
      return checked(tag, type, booleanOf(value));
    case TYPE.DateTime:
      return checked(tag, type, dateOf(value));
    case TYPE.Interval:
      return checked(tag, type, unsignedOf(value));
    case TYPE.DateTimeExtended:
      return checked(tag, type, asLong(microsecondsOf(value)) ?? longOf(value));
    default:
      return undefined;
  }
}

/** A number beyond 2^53 has lost digits on its way through JSON.parse, so it is not read. */
function fromNumber(tag: number, type: number, value: number): Node | undefined {
  if (!Number.isSafeInteger(value)) return undefined;
  switch (type) {
    case TYPE.Integer:
      return checked(tag, type, asInteger(value));
    case TYPE.Enumeration:
    case TYPE.Interval:
      return checked(tag, type, asUnsigned(value));
    case TYPE.DateTime:
      return { tag, type, value: value === 0 ? 0 : value }; // JSON has a negative zero, KMIP has none.
    case TYPE.LongInteger:
    case TYPE.BigInteger:
    case TYPE.DateTimeExtended:
      return { tag, type, value: BigInt(value) };
    default:
      return undefined;
  }
}

function checked(tag: number, type: Node['type'], value: Node['value'] | undefined): Node | undefined {
  return value === undefined ? undefined : ({ tag, type, value } as Node);
}

/** The AttributeName of an Attribute of KMIP 1.x, on which the names of its AttributeValue depend, whichever comes first. */
function attributeOf(members: Members): string | undefined {
  for (const member of members) {
    const { tag, value } = (member ?? {}) as JsonNode;
    if (typeof tag === 'string' && typeof value === 'string' && TAG_NAMES.code(tag) === TAG.AttributeName) return value;
  }
  return undefined;
}
