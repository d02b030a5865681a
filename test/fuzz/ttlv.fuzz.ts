// Broken messages in the three encodings: each is a tree or a Refusal, and a tree can be written and read again.
import assert from 'node:assert/strict';
import { refusalOf } from '../../kmip/crypto-refusal.ts';
import { decodeBinary, encodeBinary } from '../../kmip/ttlv/binary.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { decodeJson, decodeJsonRequest, encodeJson } from '../../kmip/ttlv/json.ts';
import { checkBytes, readJson } from '../../kmip/ttlv/json-parse.ts';
import { JsonReader } from '../../kmip/ttlv/json-reader.ts';
import { LIMITS } from '../../kmip/ttlv/limits.ts';
import * as make from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { decodeXml, encodeXml } from '../../kmip/ttlv/xml.ts';
import { BINARY, BYTES, mutated, swap } from './mutate.ts';
import type { Random } from './random.ts';
import type { FuzzRun, FuzzTarget } from './target.ts';

const request = (minor: number, ...items: readonly make.Node[]) =>
  make.structure(TAG.RequestMessage, [
    make.structure(TAG.RequestHeader, [
      make.structure(TAG.ProtocolVersion, [make.integer(TAG.ProtocolVersionMajor, 2), make.integer(TAG.ProtocolVersionMinor, minor)]),
      make.integer(TAG.BatchCount, items.length),
    ]),
    ...items,
  ]);
const item = (operation: number, ...fields: readonly make.Node[]) =>
  make.structure(TAG.BatchItem, [make.enumeration(TAG.Operation, operation), make.structure(TAG.RequestPayload, fields)]);
const attribute = (name: string, value: make.Node) => make.structure(TAG.Attribute, [make.text(TAG.AttributeName, name), value]);

const MESSAGES: readonly make.Structure[] = [
  request(1, item(ENUM.Operation.Encrypt, make.text(TAG.UniqueIdentifier, 'a-key'), make.bytes(TAG.Data, new Uint8Array(64).fill(0xa5)))),
  request(
    0,
    item(
      ENUM.Operation.Create,
      make.enumeration(TAG.ObjectType, ENUM.ObjectType.SymmetricKey),
      make.structure(TAG.TemplateAttribute, [
        attribute('Cryptographic Algorithm', make.enumeration(TAG.AttributeValue, ENUM.CryptographicAlgorithm.AES)),
        attribute('Cryptographic Usage Mask', make.integer(TAG.AttributeValue, 12)),
        attribute('Name', make.structure(TAG.AttributeValue, [make.text(TAG.NameValue, 'naïve \u{1f511}')])),
      ]),
    ),
  ),
  request(
    1,
    item(
      ENUM.Operation.Register,
      make.bigInteger(TAG.Modulus, -(2n ** 80n)),
      make.longInteger(TAG.UsageLimitsTotal, 2n ** 60n),
      make.dateTime(TAG.ActivationDate, 1_704_164_645),
      make.dateTimeExtended(TAG.TimeStamp, 1_704_164_645_000_001n),
      make.interval(TAG.LeaseTime, 3600),
      make.boolean(TAG.Sensitive, true),
      make.integer(TAG.CryptographicUsageMask, 0xc),
      make.enumeration(TAG.AttributeReference, TAG.State),
      make.boolean(0x54abcd, false),
    ),
    item(ENUM.Operation.Ping),
  ),
];

interface Codec {
  readonly encode: (node: make.Node) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => make.Structure;
}

const BINARY_CODEC: Codec = { encode: encodeBinary, decode: decodeBinary };
const JSON_CODEC: Codec = { encode: encodeJson, decode: decodeJson };
const XML_CODEC: Codec = { encode: encodeXml, decode: decodeXml };

/** What the decoder answers; anything it throws but a Refusal is an error. */
function orRefusal<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (refusalOf(error)?.message) return undefined;
    throw error;
  }
}

/** A tree that was decoded is encoded in every way and is the same afterwards; XML alone cannot carry every character. */
function checkTree(tree: make.Structure): void {
  const bytes = encodeBinary(tree);
  for (const { encode, decode } of [BINARY_CODEC, JSON_CODEC]) assert.deepEqual(encodeBinary(decode(encode(tree))), bytes);
  const carried = decodeXml(encodeXml(tree));
  assert.deepEqual(decodeXml(encodeXml(carried)), carried);
}

/** JSON has two readers, a fast one for what is usual and one for everything: a message means the same to both. */
function decodeJsonTwice(bytes: Uint8Array): make.Structure {
  const thorough = orRefusal(() => {
    checkBytes(bytes, LIMITS);
    return readJson(bytes, LIMITS, (json) => new JsonReader(LIMITS).message(json));
  });
  const tree = orRefusal(() => decodeJson(bytes));
  assert.deepEqual(tree && encodeBinary(tree), thorough && encodeBinary(thorough));
  return decodeJson(bytes);
}

function attempt({ decode, encode }: Codec, mutations: Parameters<typeof mutated>[1]): FuzzRun['attempt'] {
  const corpus = MESSAGES.map(encode);
  return (random: Random) => {
    const input = mutated(corpus, mutations, random);
    const what = () => `input ${Buffer.from(input).toString('hex')}`;
    try {
      const tree = orRefusal(() => decode(input));
      if (tree !== undefined) checkTree(tree);
      orRefusal(() => decodeJsonRequest(input));
    } catch (cause) {
      throw new Error(what(), { cause });
    }
  };
}

const JSON_TOKENS = swap(/"(?:[^"\\]|\\.)*"|-?[0-9.]+|[[\]{}:,]|true|false/g, [
  ...['0', '-0', '-1', '1e400', '9007199254740993', '2147483648', '4294967296', 'null', 'true', '{}', '[]', '[[]]', '""', '"\\ud800"', '"0x"'],
  ...['"0xFFFFFFFFFFFFFFFF"', '"__proto__"', '"constructor"', '"Structure"', '"Enumeration"', '"tag"', '"value"', '"2024-02-30T00:00:00Z"', '"a|b"'],
]);
const XML_TOKENS = swap(/<\/?[A-Za-z_]+|"[^"]*"|\/?>|[a-z]+=/g, [
  ...[
    '"',
    '<',
    '<!--',
    '-->',
    '<![CDATA[',
    '<!DOCTYPE x>',
    '<?x?>',
    '"&#0;"',
    '"&lol;"',
    '"0x"',
    '"-"',
    '"Structure"',
    '"Enumeration"',
    '<TTLV',
    '<constructor',
  ],
]);

export const TTLV_TARGETS: readonly FuzzTarget[] = [
  { name: 'ttlv-binary', open: () => ({ attempt: attempt(BINARY_CODEC, [...BYTES, ...BINARY, ...BINARY]) }) },
  {
    name: 'ttlv-json',
    open: () => ({ attempt: attempt({ encode: encodeJson, decode: decodeJsonTwice }, [...BYTES, JSON_TOKENS, JSON_TOKENS, JSON_TOKENS, JSON_TOKENS]) }),
  },
  { name: 'ttlv-xml', open: () => ({ attempt: attempt(XML_CODEC, [...BYTES, XML_TOKENS, XML_TOKENS, XML_TOKENS, XML_TOKENS]) }) },
];
