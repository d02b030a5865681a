// What every answer of the key server must be: a well-formed message that tells what went wrong, and no secret.
import assert from 'node:assert/strict';
import type { Answer, Encoding } from '../../actors/kmip/api.ts';
import { inspectPayload } from '../../kernel/runtime/channel/bytes.ts';
import { decodeBinary, encodeBinary } from '../../kmip/ttlv/binary.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { decodeJson, encodeJson } from '../../kmip/ttlv/json.ts';
import { tagName } from '../../kmip/ttlv/names.ts';
import { type Node, type Structure, TYPE } from '../../kmip/ttlv/node.ts';
import { children, codeOf, dateOf, integerOf, nameOf, required, structureOf, textOf } from '../../kmip/ttlv/read.ts';
import { enumerationValueExists, tagExists } from '../../kmip/ttlv/since.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { decodeXml, encodeXml } from '../../kmip/ttlv/xml.ts';
import { VERSIONS } from '../../kmip/version.ts';

export const CODECS = {
  binary: { encode: encodeBinary, decode: decodeBinary },
  json: { encode: (node: Node) => encodeJson(node), decode: decodeJson },
  'compact-json': { encode: (node: Node) => encodeJson(node, undefined, true), decode: decodeJson },
  xml: { encode: encodeXml, decode: decodeXml },
} as const;

export interface Item {
  readonly status: number;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly payload: Structure | undefined;
}

/** @returns the items of the answer, and the answer as a tree @throws AssertionError for an answer that is not well-formed */
export function readAnswer({ status, body }: Answer, encoding: Encoding): { tree: Structure; items: readonly Item[] } {
  assert.equal(status, 200);
  // It is on its way to another thread.
  inspectPayload(body);
  const tree = CODECS[encoding].decode(typeof body === 'string' ? Buffer.from(body) : body);
  assert.equal(tree.tag, TAG.ResponseMessage);
  const header = required(structureOf(tree, TAG.ResponseHeader), TAG.ResponseHeader);
  const named = required(structureOf(header, TAG.ProtocolVersion), TAG.ProtocolVersion);
  const [major, minor] = [integerOf(named, TAG.ProtocolVersionMajor), integerOf(named, TAG.ProtocolVersionMinor)];
  const version = VERSIONS.find((each) => each.major === major && each.minor === minor);
  assert.ok(version, 'the version of the answer is served');
  required(dateOf(header, TAG.TimeStamp), TAG.TimeStamp);
  const items = children(tree, TAG.BatchItem);
  assert.equal(integerOf(header, TAG.BatchCount), version.major < 3 ? items.length : undefined);
  assert.ok(items.length > 0, 'an answer has items');
  assert.equal(tree.value.length, items.length + 1);
  for (const node of items) checkTags(node, version);
  return { tree, items: items.map((item) => readItem(item as Structure, version)) };
}

function checkTags(node: Node, version: (typeof VERSIONS)[number]): void {
  assert.ok(tagExists(node.tag, version) || tagName(node.tag).startsWith('0x'), `KMIP ${version.major}.${version.minor} has no ${tagName(node.tag)}`);
  if (node.type === TYPE.Structure) for (const member of node.value) checkTags(member, version);
}

function readItem(item: Structure, version: (typeof VERSIONS)[number]): Item {
  const status = required(codeOf(item, TAG.ResultStatus), TAG.ResultStatus);
  nameOf('ResultStatus', status);
  const reason = codeOf(item, TAG.ResultReason);
  const message = textOf(item, TAG.ResultMessage);
  const payload = structureOf(item, TAG.ResponsePayload);
  if (status === ENUM.ResultStatus.OperationFailed) {
    assert.ok(reason !== undefined, 'a failure has a reason');
    assert.ok(enumerationValueExists('ResultReason', reason, version), `KMIP ${version.major}.${version.minor} has no reason ${reason}`);
    assert.ok(message, 'a failure has a message');
    assert.notEqual(message, 'internal error');
    assert.equal(payload, undefined, 'a failure has no payload');
  } else assert.equal(reason, undefined, 'only a failure has a reason');
  return { status, reason: reason === undefined ? undefined : nameOf('ResultReason', reason), message, payload };
}

/** The ways in which a text could hold bytes. */
const SPELLINGS = ['hex', 'base64', 'base64url', 'utf8', 'latin1'] as const;

/** @throws AssertionError where the text holds a good part of one of the secrets */
export function checkSilence(said: string, secrets: readonly Uint8Array[], where: string): void {
  const lower = said.toLowerCase();
  for (const secret of secrets)
    for (const spelling of SPELLINGS) {
      const part = Buffer.from(secret.subarray(0, 12)).toString(spelling);
      assert.ok(!(spelling === 'hex' ? lower : said).includes(part), `${where} holds a secret in ${spelling}`);
    }
}
