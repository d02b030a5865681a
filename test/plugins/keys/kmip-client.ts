// A KMIP client for tests: one version of the protocol in one encoding, with the forms in which that version names attributes. Those of 3.0 are told as in 2.1.
import assert from 'node:assert/strict';
import { type Agent, request } from 'undici';
import { fromThird, toThird } from '../../../kmip/message/third-version.ts';
import { decodeBinary, encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { decodeJson, encodeJson } from '../../../kmip/ttlv/json.ts';
import { boolean, bytes, enumeration, integer, type Node, type Structure, structure, TYPE, text } from '../../../kmip/ttlv/node.ts';
import { children, codeOf, integerOf, nameOf, required, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG, type TagName } from '../../../kmip/ttlv/tag.ts';
import { decodeXml, encodeXml } from '../../../kmip/ttlv/xml.ts';

export const ENCODINGS = {
  json: { type: 'application/json', encode: encodeJson, decode: decodeJson },
  binary: { type: 'application/octet-stream', encode: encodeBinary, decode: decodeBinary },
  xml: { type: 'text/xml', encode: encodeXml, decode: decodeXml },
} as const;

export const VERSIONS = [
  { major: 1, minor: 0 },
  { major: 1, minor: 1 },
  { major: 1, minor: 2 },
  { major: 1, minor: 3 },
  { major: 1, minor: 4 },
  { major: 2, minor: 0 },
  { major: 2, minor: 1 },
  { major: 3, minor: 0 },
] as const;

export interface Speech {
  readonly major: number;
  readonly minor: number;
  readonly encoding: keyof typeof ENCODINGS;
  /** ClientCorrelationValue, of KMIP 1.4 and later. */
  readonly correlation?: string;
}

interface Item {
  /** BatchItem. */
  readonly item: Structure;
  readonly header: Structure;
  readonly status: string;
  readonly reason: string | undefined;
  readonly payload: Structure;
}

interface Asked {
  readonly address: string;
  readonly agent: Agent;
}

export class KmipClient {
  readonly speech: Speech;
  readonly #send: (type: string, body: Uint8Array) => Promise<Uint8Array>;

  /** @param server is asked for its address with each message */
  constructor(server: Asked, speech: Speech) {
    this.speech = speech;
    this.#send = async (type, body) => {
      const { address, agent: dispatcher } = server;
      const answer = await request(`${address}/kmip`, { method: 'POST', headers: { 'content-type': type }, body, dispatcher });
      assert.equal(answer.statusCode, 200);
      assert.ok(String(answer.headers['content-type']).startsWith(type));
      return new Uint8Array(await answer.body.arrayBuffer());
    };
  }

  /** KMIP 1.x: attributes by their names. */
  get isOld(): boolean {
    return this.speech.major === 1;
  }

  /** KMIP 3.0: without a count of items, and with types of their own for what names objects. */
  get isLater(): boolean {
    return this.speech.major === 3;
  }

  #spoken(payload: readonly Node[]): readonly Node[] {
    return this.isLater ? toThird(payload) : payload;
  }

  #heard(message: Structure): Structure {
    return this.isLater ? structure(message.tag, fromThird(message.value)) : message;
  }

  #count(items: number): Node[] {
    return this.isLater ? [] : [integer(TAG.BatchCount, items)];
  }

  /** Whether the client's version is that one or a later one. */
  knows(version: string): boolean {
    return `${this.speech.major}.${this.speech.minor}` >= version;
  }

  /** One operation with each of several payloads, in one message. @returns message and reason of each refusal, undefined for a success */
  async refusals(operation: keyof typeof ENUM.Operation, payloads: readonly (readonly Node[])[]): Promise<({ reason: string; message: string } | undefined)[]> {
    const told = await this.askAll(
      [],
      payloads.map((payload) => [operation, ...payload]),
    );
    assert.equal(told.length, payloads.length);
    return told.map((item) => {
      const reason = codeOf(item, TAG.ResultReason);
      return reason === undefined ? undefined : { reason: nameOf('ResultReason', reason), message: textOf(item, TAG.ResultMessage) ?? '' };
    });
  }

  /**
   * Several operations in one message.
   * @param members further ones of the header @param ephemeral indices of items that show no data @param onError Continue: each is done whatever comes of the others
   * @returns the batch items of the answer
   */
  async askAll(
    members: readonly Node[],
    asked: readonly (readonly [keyof typeof ENUM.Operation, ...Node[]])[],
    { ephemeral = [], onError = 'Continue' }: { ephemeral?: readonly number[]; onError?: keyof typeof ENUM.BatchErrorContinuationOption } = {},
  ): Promise<Structure[]> {
    const { major, minor, encoding } = this.speech;
    const { type, encode, decode } = ENCODINGS[encoding];
    const version = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, major), integer(TAG.ProtocolVersionMinor, minor)]);
    const goOn = enumeration(TAG.BatchErrorContinuationOption, ENUM.BatchErrorContinuationOption[onError]);
    const items = asked.map(([operation, ...payload], at) =>
      structure(TAG.BatchItem, [
        enumeration(TAG.Operation, ENUM.Operation[operation]),
        ...(ephemeral.includes(at) ? [boolean(TAG.Ephemeral, true)] : []),
        bytes(TAG.UniqueBatchItemID, Buffer.from(String(at))),
        structure(TAG.RequestPayload, this.#spoken(payload)),
      ]),
    );
    const header = structure(TAG.RequestHeader, [version, ...members, goOn, ...this.#count(items.length)]);
    const answer = decode(await this.#send(type, encode(structure(TAG.RequestMessage, [header, ...items]))));
    return children(this.#heard(answer), TAG.BatchItem) as Structure[];
  }

  ask(operation: keyof typeof ENUM.Operation, ...payload: readonly Node[]): Promise<Item> {
    return this.askWith([], operation, ...payload);
  }

  /** @param members further ones of the request header */
  async askWith(members: readonly Node[], operation: keyof typeof ENUM.Operation, ...payload: readonly Node[]): Promise<Item> {
    const { major, minor, encoding, correlation } = this.speech;
    const { type, encode, decode } = ENCODINGS[encoding];
    const version = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, major), integer(TAG.ProtocolVersionMinor, minor)]);
    const message = structure(TAG.RequestMessage, [
      structure(TAG.RequestHeader, [
        version,
        ...(correlation === undefined ? [] : [text(TAG.ClientCorrelationValue, correlation)]),
        ...members,
        ...this.#count(1),
      ]),
      structure(TAG.BatchItem, [enumeration(TAG.Operation, ENUM.Operation[operation]), structure(TAG.RequestPayload, this.#spoken(payload))]),
    ]);
    const answer = this.#heard(decode(await this.#send(type, encode(message))));
    assert.equal(answer.tag, TAG.ResponseMessage);
    const header = required(structureOf(answer, TAG.ResponseHeader), TAG.ResponseHeader);
    assert.deepEqual(structureOf(header, TAG.ProtocolVersion), version);
    assert.equal(integerOf(header, TAG.BatchCount), this.isLater ? undefined : 1);
    const item = required(structureOf(answer, TAG.BatchItem), TAG.BatchItem);
    const reason = codeOf(item, TAG.ResultReason);
    return {
      item,
      header,
      status: nameOf('ResultStatus', required(codeOf(item, TAG.ResultStatus), TAG.ResultStatus)),
      reason: reason === undefined ? undefined : nameOf('ResultReason', reason),
      payload: structureOf(item, TAG.ResponsePayload) ?? structure(TAG.ResponsePayload, []),
    };
  }

  /** @returns the payload of the response to an operation that succeeds */
  async do(operation: keyof typeof ENUM.Operation, ...payload: readonly Node[]): Promise<Structure> {
    const { status, reason, item, payload: answer } = await this.ask(operation, ...payload);
    assert.equal(status, 'Success', `${operation}: ${reason} ${textOf(item, TAG.ResultMessage)}`);
    return answer;
  }

  /** @returns the result reason of an operation that fails */
  async refused(operation: keyof typeof ENUM.Operation, ...payload: readonly Node[]): Promise<string | undefined> {
    const { status, reason } = await this.ask(operation, ...payload);
    assert.equal(status, 'OperationFailed', operation);
    return reason;
  }

  /** One attribute as this version has it. */
  attribute(node: Node): Node {
    return this.isOld ? structure(TAG.Attribute, [text(TAG.AttributeName, inWords(node.tag)), { ...node, tag: TAG.AttributeValue } as Node]) : node;
  }

  /** Those of a new object. */
  attributes(...nodes: readonly Node[]): Structure {
    return structure(
      this.isOld ? TAG.TemplateAttribute : TAG.Attributes,
      nodes.map((node) => this.attribute(node)),
    );
  }

  /** What Locate looks for. */
  conditions(...nodes: readonly Node[]): Node[] {
    return this.isOld ? nodes.map((node) => this.attribute(node)) : [this.attributes(...nodes)];
  }

  /** A custom attribute of KMIP 1.x, the same as a vendor attribute. */
  custom(name: string, value: string): Structure {
    const given = text(TAG.AttributeValue, value);
    return this.isOld
      ? structure(TAG.Attribute, [text(TAG.AttributeName, `x-${name}`), given])
      : structure(TAG.Attribute, [text(TAG.VendorIdentification, 'x'), text(TAG.AttributeName, name), given]);
  }

  /** The payload of GetAttributes shows one value. */
  async valueOf(id: string, tag: number): Promise<Node | undefined> {
    const reference = this.isOld ? text(TAG.AttributeName, inWords(tag)) : enumeration(TAG.AttributeReference, tag);
    const payload = await this.do('GetAttributes', text(TAG.UniqueIdentifier, id), reference);
    if (!this.isOld) return structureOf(payload, TAG.Attributes)?.value[0];
    const attribute = structureOf(payload, TAG.Attribute);
    if (!attribute) return undefined;
    assert.equal(textOf(attribute, TAG.AttributeName), inWords(tag));
    return attribute.value.find((node) => node.tag === TAG.AttributeValue);
  }
}

/** The name of an attribute in KMIP 1.x. */
export function inWords(tag: number): string {
  const name = Object.entries(TAG).find(([, code]) => code === tag)?.[0] as TagName;
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
}

/** The text of a member that has to be there. */
export function textIn(parent: Structure, tag: number): string {
  return required(textOf(parent, tag), tag);
}

/** A Name attribute. */
export function name(value: string): Structure {
  return structure(TAG.Name, [text(TAG.NameValue, value), enumeration(TAG.NameType, ENUM.NameType.UninterpretedTextString)]);
}

/** Tags of the members of a structure, in order. */
export function tagsIn({ value }: Structure): number[] {
  return value.map(({ tag }) => tag);
}

export function isStructure(node: Node | undefined): node is Structure {
  return node?.type === TYPE.Structure;
}
