// Builds the tree from parsed JSON; accepts members in any order, names in any spelling, and numbers as JSON numbers or in hexadecimal.
import { TYPE_NAMES } from './enumeration-of.ts';
import { fromNumber, fromText } from './json-value.ts';
import { type Limits, MAX_DEPTH } from './limits.ts';
import { TAG_NAMES, tagOf } from './names.ts';
import { type Node, type Structure, TYPE } from './node.ts';
import { Place, quoteName } from './place.ts';
import { TAG } from './tag.ts';

/** A node after JSON.parse, before any check. */
export interface JsonNode {
  readonly tag?: unknown;
  readonly type?: unknown;
  readonly value?: unknown;
}

type Members = readonly unknown[];

/** Reads one message; make a new reader for each message. */
export class JsonReader {
  readonly #place = new Place();
  #left: number;

  constructor(limits: Limits) {
    this.#left = limits.nodes;
  }

  /** @throws Refusal InvalidMessage with the path of the field */
  message(json: unknown): Structure {
    const node = this.#node(json, 0, undefined);
    if (node.type !== TYPE.Structure) throw this.#place.refusal(0, 'a message must be a Structure');
    return node;
  }

  /** Reads the fields of an operation that was sent without a RequestMessage, as its RequestPayload. */
  payload({ type, value }: JsonNode): Structure {
    this.#place.enter(0, TAG.RequestPayload);
    if ((type !== undefined && this.#type(type, 0) !== TYPE.Structure) || !Array.isArray(value))
      throw this.#place.refusal(0, 'the type must be Structure and the value an array');
    return { tag: TAG.RequestPayload, type: TYPE.Structure, value: this.#children(TAG.RequestPayload, value, 0) };
  }

  #node(json: unknown, depth: number, attribute: string | undefined): Node {
    if (typeof json !== 'object' || json === null) throw this.#place.refusal(depth - 1, 'a field must be an object with tag, type and value');
    const { tag: name, type, value } = json as JsonNode;
    if (typeof name !== 'string') throw this.#place.refusal(depth - 1, 'the field has no tag');
    const tag = tagOf(name);
    if (tag === undefined) throw this.#place.refusal(depth - 1, `unknown tag: ${quoteName(name)}`);
    this.#place.enter(depth, tag);
    if (--this.#left < 0) throw this.#place.refusal(depth, 'too many fields in one message');
    const code = type === undefined && Array.isArray(value) ? TYPE.Structure : this.#type(type, depth);
    if (code === TYPE.Structure) {
      if (!Array.isArray(value)) throw this.#place.refusal(depth, 'the value of a Structure must be an array');
      return { tag, type: code, value: this.#children(tag, value, depth) };
    }
    const node = typeof value === 'string' ? fromText(tag, code, value, attribute) : typeof value === 'number' ? fromNumber(tag, code, value) : undefined;
    if (node !== undefined) return node;
    if (code === TYPE.Boolean && typeof value === 'boolean') return { tag, type: code, value };
    throw this.#unreadable(code, value, depth);
  }

  #type(type: unknown, depth: number): number {
    if (type === undefined) throw this.#place.refusal(depth, 'the field has no type');
    const code = typeof type === 'string' ? TYPE_NAMES.code(type) : undefined;
    if (code === undefined) throw this.#place.refusal(depth, `unknown type${typeof type === 'string' ? `: ${quoteName(type)}` : ''}`);
    return code;
  }

  #children(tag: number, members: Members, depth: number): Node[] {
    if (depth >= MAX_DEPTH) throw this.#place.refusal(depth, `structures are nested too deep: at most ${MAX_DEPTH} levels are allowed`);
    const attribute = tag === TAG.Attribute ? attributeOf(members) : undefined;
    const nodes: Node[] = [];
    for (const member of members) nodes.push(this.#node(member, depth + 1, attribute));
    return nodes;
  }

  /** The error message shows names but no values, because values may be secret. */
  #unreadable(type: number, value: unknown, depth: number) {
    if (type === TYPE.Enumeration && typeof value === 'string') return this.#place.refusal(depth, `unknown value: ${quoteName(value)}`);
    return this.#place.refusal(depth, `the value is not a valid ${TYPE_NAMES.name(type)}`);
  }
}

/** The AttributeName of an Attribute of KMIP 1.x, which determines the names that its AttributeValue can have. It may come after the value. */
function attributeOf(members: Members): string | undefined {
  for (const member of members) {
    const { tag, value } = (member ?? {}) as JsonNode;
    if (typeof tag === 'string' && typeof value === 'string' && TAG_NAMES.code(tag) === TAG.AttributeName) return value;
  }
  return undefined;
}
