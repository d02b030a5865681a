// The XML encoding of TTLV (KMIP Profiles 2.1 section 5.4).
import { isUtf8 } from 'node:buffer';
import { bigIntegerFromHex, bigIntegerHex } from './big-integer.ts';
import { dateText, microsecondsOf, preciseDateText, secondsIn } from './date-time.ts';
import { attributeName, codeName, enumerationNames, maskNames, TYPE_NAMES } from './enumeration-of.ts';
import { asLong, booleanOf, bytesOfHex, codeOf, dateOf, hexOfBytes, integerOf, longOf, maskOf, maskText, unsignedOf } from './lexical.ts';
import { LIMITS, type Limits, MAX_DEPTH } from './limits.ts';
import { TAG_NAMES, tagOf } from './names.ts';
import { type Node, type Structure, TYPE } from './node.ts';
import { invalid, Place, quoteName } from './place.ts';
import { TAG } from './tag.ts';
import { type Element, parseXml } from './xml-parser.ts';

/** @throws Refusal InvalidMessage with the path of the field, or with the position of the character if the body is not XML */
export function decodeXml(bytes: Uint8Array, limits: Limits = LIMITS): Structure {
  if (bytes.length > limits.bytes) throw invalid(`the message has ${bytes.length} bytes; at most ${limits.bytes} are allowed`);
  if (!isUtf8(bytes)) throw invalid('the body is not UTF-8');
  const root = parseXml(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(), limits);
  const node = new XmlReader().node(root, 0, undefined);
  if (node.type !== TYPE.Structure) throw invalid(`${root.name}: a message must be a Structure`);
  return node;
}

class XmlReader {
  readonly #place = new Place();

  /** @param attribute AttributeName of the 1.x Attribute that contains the element */
  node(element: Element, depth: number, attribute: string | undefined): Node {
    const tag = this.#tag(element, depth);
    this.#place.enter(depth, tag);
    const name = element.attributes.get('type');
    const text = element.attributes.get('value');
    const type = name === undefined ? TYPE.Structure : TYPE_NAMES.code(name);
    if (type === undefined) throw this.#place.refusal(depth, `unknown type: ${quoteName(name as string)}`);
    if (type === TYPE.Structure && text !== undefined)
      throw this.#place.refusal(depth, name === undefined ? 'the field has no type' : 'a Structure has child elements, not a value attribute');
    if (type === TYPE.Structure) return { tag, type, value: this.#children(tag, element, depth) };
    if (text === undefined || element.children.length > 0) throw this.#place.refusal(depth, 'a field must have a value attribute and no child elements');
    const value = fromText(tag, type, text, attribute);
    if (value !== undefined) return { tag, type, value } as Node;
    // The error message shows names but no values, because values may be secret.
    throw this.#place.refusal(depth, type === TYPE.Enumeration ? `unknown value: ${quoteName(text)}` : `the value is not a valid ${TYPE_NAMES.name(type)}`);
  }

  /** A tag without a name is written as `<TTLV tag="0x54FFFF" name="…">`. */
  #tag({ name, attributes }: Element, depth: number): number {
    const written = name === 'TTLV' ? (attributes.get('tag') ?? '') : name;
    const tag = tagOf(written);
    if (tag === undefined) throw this.#place.refusal(depth - 1, `unknown tag: ${quoteName(written)}`);
    return tag;
  }

  #children(tag: number, { children }: Element, depth: number): Node[] {
    if (depth >= MAX_DEPTH) throw this.#place.refusal(depth, `structures are nested too deep: at most ${MAX_DEPTH} levels are allowed`);
    const named = tag === TAG.Attribute ? children.find(({ name }) => TAG_NAMES.code(name) === TAG.AttributeName) : undefined;
    const attribute = named?.attributes.get('value');
    return children.map((child) => this.node(child, depth + 1, attribute));
  }
}

function fromText(tag: number, type: number, text: string, attribute: string | undefined): Node['value'] | undefined {
  switch (type) {
    case TYPE.Integer: {
      const names = maskNames(tag, attribute);
      return names === undefined ? integerOf(text) : maskOf(text, names);
    }
    case TYPE.LongInteger:
      return longOf(text);
    case TYPE.BigInteger:
      return bigOfHex(text);
    case TYPE.Enumeration:
      return codeOf(text, enumerationNames(tag, attribute));
    case TYPE.Boolean:
      return booleanOf(text);
    case TYPE.TextString:
    case TYPE.Identifier:
    case TYPE.Reference:
    case TYPE.NameReference:
      return text;
    case TYPE.ByteString:
      return bytesOfHex(text);
    case TYPE.DateTime:
      return dateOf(text);
    case TYPE.Interval:
      return unsignedOf(text);
    case TYPE.DateTimeExtended:
      return asLong(microsecondsOf(text)) ?? longOf(text);
    default:
      return undefined;
  }
}

/** The profile requires digits without a prefix (xsd:hexBinary); this also accepts `0x`. */
function bigOfHex(text: string): bigint | undefined {
  const digits = /^(?:0[xX])?([0-9a-fA-F]+)$/.exec(text)?.[1];
  return digits === undefined ? undefined : bigIntegerFromHex(digits);
}

/** @returns bytes that own their buffer */
export function encodeXml(node: Node): Uint8Array {
  return UTF_8.encode(writeNode(node, undefined));
}

const UTF_8 = new TextEncoder();

function writeNode(node: Node, attribute: string | undefined): string {
  const name = TAG_NAMES.name(node.tag) ?? `TTLV tag="0x${node.tag.toString(16).toUpperCase()}"`;
  if (node.type !== TYPE.Structure) return `<${name} type="${TYPE_NAMES.name(node.type)}" value="${valueText(node, attribute)}"/>`;
  const below = node.tag === TAG.Attribute ? attributeName(node) : undefined;
  let text = `<${name}>`;
  for (const child of node.value) text += writeNode(child, below);
  return `${text}</${name.startsWith('TTLV ') ? 'TTLV' : name}>`;
}

function valueText(node: Exclude<Node, Structure>, attribute: string | undefined): string {
  switch (node.type) {
    case TYPE.Integer: {
      const names = maskNames(node.tag, attribute);
      return (names === undefined ? undefined : maskText(node.value, names)) ?? String(node.value);
    }
    case TYPE.BigInteger:
      return bigIntegerHex(node.value);
    case TYPE.Enumeration:
      return codeName(node.value, enumerationNames(node.tag, attribute));
    case TYPE.TextString:
    case TYPE.Identifier:
    case TYPE.Reference:
    case TYPE.NameReference:
      return escapeText(node.value);
    case TYPE.ByteString:
      return hexOfBytes(node.value);
    case TYPE.DateTime:
      return dateText(node.value) ?? String(secondsIn(node.value));
    case TYPE.DateTimeExtended:
      return preciseDateText(node.value) ?? String(node.value);
    default:
      return String(node.value);
  }
}

const SPECIAL: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\t': '&#x9;', '\n': '&#xA;', '\r': '&#xD;' };

/** Characters that XML cannot represent become U+FFFD: a message must not fail because of the name of a key. */
function escapeText(text: string): string {
  return text.replaceAll(/[^\n\r\t\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|[&<>"\t\n\r]/gu, (character) => SPECIAL[character] ?? '\ufffd');
}
