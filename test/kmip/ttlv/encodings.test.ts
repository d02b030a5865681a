// Every tree goes through binary, JSON and XML and comes back as it was.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'uvu';
import { binarySize, decodeBinary, encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { decodeJson, encodeJson } from '../../../kmip/ttlv/json.ts';
import { type Node, type Structure, structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { decodeXml, encodeXml } from '../../../kmip/ttlv/xml.ts';
import { attributes, isNamed, plain, trees } from './trees.ts';

const CODECS: readonly { readonly name: string; readonly decode: (bytes: Uint8Array) => Structure; readonly encode: (node: Node) => Uint8Array }[] = [
  { name: 'binary', decode: decodeBinary, encode: encodeBinary },
  { name: 'JSON', decode: decodeJson, encode: encodeJson },
  { name: 'XML', decode: decodeXml, encode: encodeXml },
];

const same = (tree: Structure) => {
  let node = tree;
  for (const { name, decode, encode } of CODECS) {
    const bytes = encode(node);
    assert.equal(bytes.byteLength, bytes.buffer.byteLength, `${name} owns its buffer`);
    node = decode(bytes);
    assert.deepEqual(plain(node), plain(tree), name);
  }
  const again = encodeBinary(node);
  assert.deepEqual([...again], [...encodeBinary(tree)]);
  assert.equal(again.length, binarySize(tree));
};

test('random trees', () => {
  fc.assert(fc.property(trees, same), { numRuns: 500 });
});

test('attributes of 1.x, whose enumeration stands beside them', () => {
  let named = 0;
  fc.assert(
    fc.property(attributes, (attribute) => {
      if (isNamed(attribute)) named++;
      same(structure(TAG.TemplateAttribute, [attribute]));
    }),
    { numRuns: 500 },
  );
  assert.ok(named > 50, `${named}`);
});

test('64 structures inside each other are read, 65 are not', () => {
  const nested = (depth: number, innermost: readonly Node[]): Structure =>
    Array.from({ length: depth - 1 }).reduce<Structure>((inner) => structure(TAG.Attributes, [inner]), structure(TAG.Attributes, innermost));
  const leaf: Node = { tag: TAG.Data, type: TYPE.Boolean, value: true };
  for (const { name, decode, encode } of CODECS) {
    assert.deepEqual(plain(decode(encode(nested(64, [leaf])))), plain(nested(64, [leaf])), name);
    assert.throws(() => decode(encode(nested(65, []))), { reason: 'InvalidMessage', message: /nested too deep: at most 64/ }, name);
  }
});

test('a message is bounded in bytes and in fields', () => {
  const message = structure(
    TAG.Attributes,
    Array.from({ length: 20 }, (): Node => ({ tag: TAG.Data, type: TYPE.Boolean, value: true })),
  );
  for (const { name, decode, encode } of CODECS as readonly {
    name: string;
    decode: (bytes: Uint8Array, limits: object) => Structure;
    encode: typeof encodeBinary;
  }[]) {
    const bytes = encode(message);
    assert.throws(() => decode(bytes, { bytes: bytes.length - 1, nodes: 100 }), { reason: 'InvalidMessage', message: /at most/ }, name);
    assert.throws(() => decode(bytes, { bytes: bytes.length, nodes: 20 }), { message: /too many fields/ }, name);
    assert.equal(decode(bytes, { bytes: bytes.length, nodes: 21 }).value.length, 20);
  }
});

test('every beginning of a message is refused', () => {
  const message = structure(TAG.RequestMessage, [
    { tag: TAG.NameValue, type: TYPE.TextString, value: 'naïve' },
    { tag: TAG.Data, type: TYPE.ByteString, value: new Uint8Array(5) },
    structure(TAG.Attributes, [{ tag: TAG.State, type: TYPE.Enumeration, value: 2 }]),
  ]);
  for (const { name, decode, encode } of CODECS) {
    const bytes = encode(message);
    for (let length = 0; length < bytes.length; length++)
      assert.throws(() => decode(bytes.subarray(0, length)), { reason: 'InvalidMessage' }, `${name}, ${length} bytes`);
  }
});

test.run();
