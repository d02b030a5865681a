// The JSON encoding of TTLV (KMIP Profiles 2.1 section 5.5): writes exactly what the profile requires, reads more than that.
import { Refusal } from '../refusal.ts';
import { bigIntegerHex } from './big-integer.ts';
import { COMPACT_PLAIN } from './compact.ts';
import { dateText, secondsIn } from './date-time.ts';
import { attributeName, codeName, compactCodeName, enumerationNames, OPERATION_NAMES, TYPE_NAMES } from './enumeration-of.ts';
import { checkBytes, readJson } from './json-parse.ts';
import { type JsonNode, JsonReader } from './json-reader.ts';
import { JsonScanner } from './json-scanner.ts';
import { hexOfBytes } from './lexical.ts';
import { LIMITS, type Limits } from './limits.ts';
import { TAG_NAMES, tagName, tagOf } from './names.ts';
import { type Node, type Structure, TYPE } from './node.ts';
import { invalid, quoteName } from './place.ts';
import { TAG } from './tag.ts';

/** @throws Refusal InvalidMessage with the path of the field */
export function decodeJson(bytes: Uint8Array, limits: Limits = LIMITS): Structure {
  checkBytes(bytes, limits);
  const scanner = new JsonScanner(bytes, limits);
  const tag = tagOf(scanner.root() ?? '');
  return (tag === undefined ? undefined : scanner.body(tag)) ?? readJson(bytes, limits, (json) => new JsonReader(limits).message(json));
}

/** A JSON request is a RequestMessage, or the payload of a single operation with the operation's name as its tag. */
interface JsonRequest {
  /** The code of a single operation, whose RequestPayload is `node`. Undefined for a RequestMessage. */
  readonly operation: number | undefined;
  readonly node: Structure;
}

/**
 * @param onOperation called with the code of a single operation before its payload is read, also of a body that turns out to be unreadable; what it
 * throws ends the reading
 * @throws Refusal InvalidMessage with the path of the field; OperationNotSupported if the root is neither a message nor an operation
 */
export function decodeJsonRequest(bytes: Uint8Array, limits: Limits = LIMITS, onOperation: (code: number) => void = () => {}): JsonRequest {
  const scanner = new JsonScanner(bytes, limits);
  const name = scanner.root();
  const known = OPERATION_NAMES.code(name ?? '');
  if (known !== undefined) onOperation(known);
  checkBytes(bytes, limits);
  if (name !== undefined) {
    const operation = known ?? operationOf(name);
    const node = scanner.body(operation === undefined ? TAG.RequestMessage : TAG.RequestPayload);
    if (node !== undefined) return { operation, node };
  }
  return readJson(bytes, limits, (json) => requestOf(json, limits, known === undefined ? onOperation : undefined));
}

function requestOf(json: unknown, limits: Limits, onOperation: ((code: number) => void) | undefined): JsonRequest {
  const root = (json ?? {}) as JsonNode;
  if (typeof root.tag !== 'string') throw invalid('a request must be an object with tag and value');
  const operation = operationOf(root.tag);
  if (operation !== undefined) onOperation?.(operation);
  const reader = new JsonReader(limits);
  return { operation, node: operation === undefined ? reader.message(root) : reader.payload(root) };
}

/** The operation that the root names; undefined for a RequestMessage. @throws Refusal OperationNotSupported */
function operationOf(root: string): number | undefined {
  const operation = OPERATION_NAMES.code(root);
  if (operation === undefined && tagOf(root) !== TAG.RequestMessage) throw new Refusal('OperationNotSupported', `unknown operation: ${quoteName(root)}`);
  return operation;
}

const UTF_8 = new TextEncoder();

/** How to write names: as in the profile, or as in `compact.ts`. */
interface Spelling {
  /** The beginning of a node, `{"tag":"BatchItem",`, for each known tag. */
  readonly heads: ReadonlyMap<number, string>;
  readonly codeName: typeof codeName;
  /** Structures to write as a plain value. */
  readonly plain?: typeof COMPACT_PLAIN;
}

const PROFILE: Spelling = {
  heads: new Map([...TAG_NAMES.entries()].map(([tag, name]) => [tag, `{"tag":"${name}",`])),
  codeName,
};
const COMPACT: Spelling = {
  heads: new Map([...PROFILE.heads.keys()].map((tag) => [tag, `{"tag":"${TAG_NAMES.compactName(tag)}",`])),
  codeName: compactCodeName,
  plain: COMPACT_PLAIN,
};

/**
 * @param root replaces the name of the outermost tag: the response to a single operation is a ResponsePayload named `<Operation>Response`
 * @param isCompact whether to write names in the compact spelling
 */
export function writeJson(node: Node, root?: string, isCompact = false): string {
  const spelling = isCompact ? COMPACT : PROFILE;
  const head = root === undefined ? headOf(node.tag, spelling) : `{"tag":${JSON.stringify(root)},`;
  return head + tailOf(node, undefined, spelling);
}

/** As writeJson. @returns bytes that own their buffer */
export function encodeJson(node: Node, root?: string, isCompact = false): Uint8Array {
  return UTF_8.encode(writeJson(node, root, isCompact));
}

const headOf = (tag: number, { heads }: Spelling): string => heads.get(tag) ?? `{"tag":"${tagName(tag)}",`;

/** Everything after the tag. @param attribute AttributeName of the 1.x Attribute that contains the node */
function tailOf(node: Node, attribute: string | undefined, spelling: Spelling): string {
  switch (node.type) {
    case TYPE.Structure:
      return spelling.plain === undefined ? `"value":[${members(node, spelling)}]}` : structureTail(node, spelling);
    case TYPE.Integer:
      return `"type":"Integer","value":${node.value}}`;
    case TYPE.LongInteger:
      return `"type":"LongInteger","value":"0x${bigIntegerHex(node.value, 8)}"}`;
    case TYPE.BigInteger:
      return `"type":"BigInteger","value":"0x${bigIntegerHex(node.value)}"}`;
    case TYPE.Enumeration:
      return `"type":"Enumeration","value":"${spelling.codeName(node.value, enumerationNames(node.tag, attribute))}"}`;
    case TYPE.Boolean:
      return node.value ? '"type":"Boolean","value":true}' : '"type":"Boolean","value":false}';
    case TYPE.TextString:
      return `"type":"TextString","value":${JSON.stringify(node.value)}}`;
    case TYPE.Identifier:
    case TYPE.Reference:
    case TYPE.NameReference:
      return `"type":"${TYPE_NAMES.name(node.type)}","value":${JSON.stringify(node.value)}}`;
    case TYPE.ByteString:
      return `"type":"ByteString","value":"${hexOfBytes(node.value)}"}`;
    case TYPE.DateTime:
      return `"type":"DateTime","value":"${dateText(node.value) ?? `0x${bigIntegerHex(secondsIn(node.value), 8)}`}"}`;
    case TYPE.Interval:
      return `"type":"Interval","value":${node.value}}`;
    case TYPE.DateTimeExtended:
      return `"type":"DateTimeExtended","value":"0x${bigIntegerHex(node.value, 8)}"}`;
  }
}

function structureTail(node: Structure, spelling: Spelling): string {
  const plain = spelling.plain?.get(node.tag)?.(node);
  return plain === undefined ? `"value":[${members(node, spelling)}]}` : tailOf(plain, undefined, spelling);
}

function members(node: Structure, spelling: Spelling): string {
  const attribute = node.tag === TAG.Attribute ? attributeName(node) : undefined;
  let text = '';
  for (const child of node.value) text += (text === '' ? '' : ',') + headOf(child.tag, spelling) + tailOf(child, attribute, spelling);
  return text;
}
