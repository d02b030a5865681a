// The two spellings of names in JSON: each name is written in the one asked for, read in both, and read as one thing only.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import { ENUM, type EnumName } from '../../../kmip/ttlv/enumeration.ts';
import { decodeJson, encodeJson } from '../../../kmip/ttlv/json.ts';
import { foldName, TAG_NAMES } from '../../../kmip/ttlv/names.ts';
import { enumeration, type Node, structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { decodeXml, encodeXml } from '../../../kmip/ttlv/xml.ts';

/** Lines of `Enumeration: profile->other profile->other`. */
const PAIRS = readFileSync(new URL('json-names.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [name, pairs] = line.split(': ') as [EnumName, string];
    return pairs.split(' ').map((pair) => {
      const [profile, other] = pair.split('->') as [string, string];
      return { name, profile, other, code: (ENUM[name] as Readonly<Record<string, number>>)[profile] as number };
    });
  });
const REASONS = { ItemNotFound: 'Item_Not_Found', InvalidCSR: 'Invalid_CSR', PKCS_11CodecError: 'PKCS_11_Codec_Error', Sensitive: 'Sensitive' };
const TAGS = [
  ['PKCS_12FriendlyName', 'PKCS12FriendlyName'],
  ['X_509CertificateIssuer', 'X509CertificateIssuer'],
  ['PKCS_11Function', 'PKCS11Function'],
] as const;

const json = (node: Node, isCompact: boolean): string => Buffer.from(encodeJson(structure(TAG.ResponsePayload, [node]), undefined, isCompact)).toString();
const written = (node: Node, isCompact: boolean) => JSON.parse(json(node, isCompact)).value[0];
/** `value` with any members beside the three is read the careful way, without the fast one. */
const read = (tag: string, value: unknown, extra: object = {}) =>
  decodeJson(Buffer.from(JSON.stringify({ tag: 'RequestPayload', value: [{ tag, type: 'Enumeration', value, ...extra }] }))).value[0]?.value;

test('each of the 125 names is written in either spelling, and read in both and as a number', () => {
  assert.equal(PAIRS.length, 125);
  for (const { name, profile, other, code } of PAIRS) {
    const node = enumeration(TAG[name as keyof typeof TAG], code);
    assert.equal(written(node, false).value, profile);
    assert.equal(written(node, true).value, other);
    const hexadecimal = `0x${code.toString(16).padStart(8, '0')}`;
    for (const value of [profile, other, hexadecimal, code])
      for (const extra of [{}, { comment: '' }]) assert.equal(read(name, value, extra), code, `${name} ${value}`);
    assert.match(Buffer.from(encodeXml(structure(TAG.ResponsePayload, [node]))).toString(), new RegExp(`value="${profile}"`));
    assert.equal(decodeXml(Buffer.from(`<RequestPayload><${name} type="Enumeration" value="${other}"/></RequestPayload>`)).value[0]?.value, code);
  }
});

test("in the compact spelling every other name is the profile's", () => {
  const others = new Set(PAIRS.map(({ name, profile }) => `${name} ${profile}`));
  for (const [name, codes] of Object.entries(ENUM)) {
    const tag = TAG[name as keyof typeof TAG];
    if (tag === undefined || name === 'ResultReason') continue;
    for (const [profile, code] of Object.entries(codes))
      if (!others.has(`${name} ${profile}`)) assert.equal(written(enumeration(tag, code), true).value, profile, name);
  }
});

test('the result reasons are words with underscores', () => {
  for (const [profile, other] of Object.entries(REASONS)) {
    const node = enumeration(TAG.ResultReason, ENUM.ResultReason[profile as keyof typeof ENUM.ResultReason]);
    assert.equal(written(node, false).value, profile);
    assert.equal(written(node, true).value, other);
    assert.equal(read('ResultReason', other), node.value);
  }
});

test('no spelling can be read as two values', () => {
  for (const [name, codes] of Object.entries(ENUM)) {
    const spellings = [...Object.entries(codes), ...PAIRS.filter((pair) => pair.name === name).map(({ other, code }) => [other, code] as const)];
    const meanings = new Map<string, Set<number>>();
    for (const [spelling, code] of spellings) meanings.set(foldName(spelling), (meanings.get(foldName(spelling)) ?? new Set()).add(code));
    for (const [spelling, meant] of meanings) assert.equal(meant.size, 1, `${name}: ${spelling}`);
  }
});

test('tags, as members and as values, are written in the spelling too', () => {
  for (const [profile, other] of TAGS) {
    const tag = TAG[profile];
    assert.equal(written(text(tag, ''), false).tag, profile);
    assert.equal(written(text(tag, ''), true).tag, other);
    assert.equal(written(enumeration(TAG.AttributeReference, tag), true).value, other);
    assert.equal(read('AttributeReference', other), tag);
    assert.equal(TAG_NAMES.code(other), tag);
  }
  assert.equal(written(text(0x54aaaa, ''), true).tag, '0x54AAAA');
});

test('values of the range for extensions: numbers in the profile, two names of opaque data in the other', () => {
  for (const [code, name] of [
    [0x80000001, 'Unknown'],
    [0x80123456, 'Vendor'],
  ] as const) {
    const node = enumeration(TAG.OpaqueDataType, code);
    const hexadecimal = `0x${code.toString(16)}`;
    assert.equal(written(node, false).value, hexadecimal);
    assert.equal(written(node, true).value, name);
    for (const value of [name, hexadecimal, code]) assert.equal(read('OpaqueDataType', value), code);
  }
  assert.equal(written(enumeration(TAG.OpaqueDataType, 0x80000002), true).value, '0x80000002');
  assert.equal(read('CryptographicAlgorithm', '0x88800006'), 0x88800006);
});

test('the value of a 1.x attribute has the names of its attribute in either spelling', () => {
  const node = structure(TAG.Attribute, [
    text(TAG.AttributeName, 'Cryptographic Algorithm'),
    enumeration(TAG.AttributeValue, ENUM.CryptographicAlgorithm.HMAC_SHA256),
  ]);
  assert.equal(written(node, false).value[1].value, 'HMAC_SHA256');
  assert.equal(written(node, true).value[1].value, 'HMACSHA256');
});

test.run();
