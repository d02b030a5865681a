// The JSON encoding: how it is written, what is read beside that, and what is refused with the place told.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { decodeJson, decodeJsonRequest, encodeJson } from '../../../kmip/ttlv/json.ts';
import * as make from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { plain } from './trees.ts';

const raw = (text: string) => new TextEncoder().encode(text);
const read = (json: unknown) => decodeJson(raw(JSON.stringify(json)));
const field = (tag: string, type: string, value: unknown) => {
  const node = read({ tag: 'RequestMessage', value: [{ tag, type, value }] }).value[0] as make.Node;
  return node.type === make.TYPE.ByteString ? [...node.value] : node.value;
};
const refused = (tag: string, type: string | undefined, value: unknown, message = new RegExp(`^RequestMessage/${tag}: `)) =>
  assert.throws(() => read({ tag: 'RequestMessage', value: [{ tag, type, value }] }), { reason: 'InvalidMessage', message }, `${type} ${value}`);
const attribute = (...value: object[]) => (read({ tag: 'TemplateAttribute', value: [{ tag: 'Attribute', value }] }).value[0] as make.Structure).value;

test('every type as it is written', () => {
  const tree = make.structure(TAG.RequestMessage, [
    make.integer(TAG.BatchCount, -1),
    make.integer(TAG.CryptographicUsageMask, 12),
    make.longInteger(TAG.UsageLimitsTotal, 255n),
    make.bigInteger(TAG.Modulus, -2n),
    make.enumeration(TAG.HashingAlgorithm, ENUM.HashingAlgorithm.SHA_256),
    make.enumeration(TAG.OpaqueDataType, 0x80000001),
    make.enumeration(TAG.AttributeReference, TAG.State),
    make.boolean(TAG.Fresh, true),
    make.text(TAG.NameValue, 'a"b\n\u0000'),
    make.bytes(TAG.Data, new Uint8Array([0, 0xab])),
    make.dateTime(TAG.ActivationDate, 1_704_164_645),
    make.dateTime(TAG.ActivationDate, 253_402_300_800),
    make.interval(TAG.LeaseTime, 3600),
    make.dateTimeExtended(TAG.TimeStamp, 1n),
    make.boolean(0x54aaaa, false),
    make.structure(TAG.Attributes, []),
  ]);
  const bytes = encodeJson(tree);
  assert.equal(
    new TextDecoder().decode(bytes),
    '{"tag":"RequestMessage","value":[{"tag":"BatchCount","type":"Integer","value":-1},{"tag":"CryptographicUsageMask","type":"Integer","value":12},' +
      '{"tag":"UsageLimitsTotal","type":"LongInteger","value":"0x00000000000000FF"},{"tag":"Modulus","type":"BigInteger","value":"0xFFFFFFFFFFFFFFFE"},' +
      '{"tag":"HashingAlgorithm","type":"Enumeration","value":"SHA_256"},{"tag":"OpaqueDataType","type":"Enumeration","value":"0x80000001"},' +
      '{"tag":"AttributeReference","type":"Enumeration","value":"State"},{"tag":"Fresh","type":"Boolean","value":true},' +
      '{"tag":"NameValue","type":"TextString","value":"a\\"b\\n\\u0000"},{"tag":"Data","type":"ByteString","value":"00AB"},' +
      '{"tag":"ActivationDate","type":"DateTime","value":"2024-01-02T03:04:05Z"},{"tag":"ActivationDate","type":"DateTime","value":"0x0000003AFFF44180"},' +
      '{"tag":"LeaseTime","type":"Interval","value":3600},{"tag":"TimeStamp","type":"DateTimeExtended","value":"0x0000000000000001"},' +
      '{"tag":"0x54AAAA","type":"Boolean","value":false},{"tag":"Attributes","value":[]}]}',
  );
  assert.deepEqual(plain(decodeJson(bytes)), plain(tree));
});

test('numbers are read as numbers, in hexadecimal and in decimal', () => {
  assert.deepEqual([field('BatchCount', 'Integer', 5), field('BatchCount', 'Integer', '0x00000005')], [5, 5]);
  assert.deepEqual([field('BatchCount', 'Integer', '0xFFFFFFFF'), field('BatchCount', 'Integer', '0xFFFFFFFFFFFFFFFE')], [-1, -2]);
  assert.deepEqual([field('UsageLimitsTotal', 'LongInteger', 7), field('UsageLimitsTotal', 'LongInteger', '-7')], [7n, -7n]);
  assert.deepEqual([field('UsageLimitsTotal', 'LongInteger', '0xFFFFFFFFFFFFFFFF'), field('UsageLimitsTotal', 'LongInteger', '0xFF')], [-1n, 255n]);
  assert.equal(field('Modulus', 'BigInteger', `0x${'0'.repeat(16)}${'F'.repeat(16)}`), 2n ** 64n - 1n);
  assert.equal(field('Modulus', 'BigInteger', '340282366920938463463374607431768211456'), 2n ** 128n);
  assert.equal(field('LeaseTime', 'Interval', '0xFFFFFFFF'), 2 ** 32 - 1);
  assert.deepEqual([field('Fresh', 'Boolean', '0x0000000000000001'), field('Fresh', 'Boolean', '0x0')], [true, false]);
  assert.deepEqual(field('Data', 'ByteString', 'aBcD'), [0xab, 0xcd]);
});

test('numbers out of their range and values of another type are refused, the values not told', () => {
  for (const value of [2 ** 31, -(2 ** 31) - 1, 1.5, '5', '0x100000000', 'secret', '', '0x', true, null, [], {}]) refused('BatchCount', 'Integer', value);
  for (const value of [2 ** 53, '9223372036854775808', '0x1FFFFFFFFFFFFFFFF', 'secret', false]) refused('UsageLimitsTotal', 'LongInteger', value);
  for (const value of [2 ** 53, 'secret', '9'.repeat(3000), '0x-1', true]) refused('Modulus', 'BigInteger', value);
  for (const value of [-1, 2 ** 32, '0x100000000', 'NoSuch', '1', '', true, null]) refused('Operation', 'Enumeration', value);
  for (const value of [-1, 2 ** 32, 'PT1H', '3600']) refused('LeaseTime', 'Interval', value);
  for (const value of ['abc', '0xab', 'zz', '\u0130\u0141', 5, null]) refused('Data', 'ByteString', value);
  for (const value of ['yes', 'true', 'FALSE', '1', '0x2', 1, 0, null]) refused('Fresh', 'Boolean', value);
  for (const value of ['\ud800', 'a\udc00', 5, true, null]) refused('NameValue', 'TextString', value);
  for (const value of ['x', {}, null, 5]) refused('Attributes', 'Structure', value);
  refused('NameValue', 'ByteString', 'my secret', /^RequestMessage\/NameValue: the value is not a valid ByteString$/);
  refused('Operation', 'Enumeration', 'NoSuch', /^RequestMessage\/Operation: unknown value: "NoSuch"$/);
  refused('AttributeValue', 'Enumeration', 'AES', /unknown value: "AES"/);
});

test('byte strings of every length, and digits that are none at every place', () => {
  for (const length of [0, 1, 2, 63, 64, 511, 512, 513, 2000]) {
    const value = Uint8Array.from({ length }, (_, index) => (index * 7) & 0xff);
    assert.deepEqual(field('Data', 'ByteString', Buffer.from(value).toString('hex')), [...value]);
    const digits = 'aB'.repeat(length);
    for (const at of [0, length, 2 * length - 1])
      for (const wrong of ['g', '/', ':', '@', '`', 'é', '\u0130', ' ', '"'])
        if (at >= 0 && at < digits.length) refused('Data', 'ByteString', digits.slice(0, at) + wrong + digits.slice(at + 1));
    refused('Data', 'ByteString', `${digits}a`);
  }
});

test('dates', () => {
  const seconds = Date.UTC(2024, 0, 2, 3, 4, 5) / 1000;
  for (const value of [
    '2024-01-02T03:04:05Z',
    '2024-01-02T05:04:05+02:00',
    '2024-01-01T22:04:05.999-05:00',
    '2024-01-02t03:04:05z',
    '0x0000000065937D25',
    seconds,
  ])
    assert.equal(field('ActivationDate', 'DateTime', value), seconds, String(value));
  assert.equal(field('ActivationDate', 'DateTime', '1969-12-31T23:59:59.5Z'), -1);
  assert.equal(field('ActivationDate', 'DateTime', '0x7FFFFFFFFFFFFFFF'), Number.MAX_SAFE_INTEGER);
  assert.match(
    Buffer.from(encodeJson(make.structure(TAG.Attributes, [make.dateTime(TAG.ActivationDate, Number.MAX_SAFE_INTEGER)]))).toString(),
    /"0x7FFFFFFFFFFFFFFF"/,
  );
  assert.equal(field('ActivationDate', 'DateTime', '0000-01-01T00:00:00Z'), -62_167_219_200);
  assert.equal(field('TimeStamp', 'DateTimeExtended', '1970-01-01T00:00:01.0000015Z'), 1_000_001n);
  assert.equal(field('TimeStamp', 'DateTimeExtended', '0x10'), 16n);
  for (const value of [
    '2024-01-02',
    '2024-02-30T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '2024-01-02T24:00:00Z',
    '2024-01-02T03:04:05',
    '2024-13-01T00:00:00Z',
    'now',
    1.5,
  ])
    refused('ActivationDate', 'DateTime', value);
  assert.equal(field('ActivationDate', 'DateTime', '2024-02-29T00:00:00Z'), Date.UTC(2024, 1, 29) / 1000);
});

test('masks', () => {
  for (const value of [12, '0x0000000C', 'Encrypt Decrypt', 'decrypt|ENCRYPT', ' Encrypt | Decrypt ', 'Encrypt 0x8'])
    assert.equal(field('CryptographicUsageMask', 'Integer', value), 12, String(value));
  assert.equal(field('StorageStatusMask', 'Integer', 'OnlineStorage|ArchivalStorage'), 3);
  assert.equal(field('CryptographicUsageMask', 'Integer', 'Export MAC-Generate'), 0xc0);
  refused('CryptographicUsageMask', 'Integer', 'Encrypt NoSuch');
  refused('BatchCount', 'Integer', 'Encrypt');
});

test('the value of a 1.x attribute is read by its name, before or behind it', () => {
  const name = (value: string) => ({ tag: 'AttributeName', type: 'TextString', value });
  const value = (type: string, of: unknown) => ({ tag: 'AttributeValue', type, value: of });
  assert.equal(attribute(name('Cryptographic Algorithm'), value('Enumeration', 'AES'))[1]?.value, 3);
  assert.equal(attribute(value('Enumeration', 'PreActive'), name('State'))[0]?.value, 1);
  assert.equal(attribute(name('Cryptographic Usage Mask'), value('Integer', 'Sign Verify'))[1]?.value, 3);
  assert.throws(() => attribute(name('x-mine'), value('Enumeration', 'AES')), { message: 'TemplateAttribute/Attribute/AttributeValue: unknown value: "AES"' });
  assert.equal(attribute(name('x-mine'), value('Enumeration', '0x00000007'))[1]?.value, 7);
});

test('members in any order, other members, names in any spelling, tags by number', () => {
  const tree = make.structure(TAG.RequestMessage, [make.text(TAG.UniqueIdentifier, 'x')]);
  for (const text of [
    '{"value":[{"value":"x","type":"TextString","tag":"UniqueIdentifier"}],"tag":"RequestMessage"}',
    ' { "tag" : "request message", "type":"structure", "value" : [ {"tag":"0x420094","type":"text string","value":"x","more":[[{}]]} ] , "_":1 } ',
    '{"__proto__":{"tag":"BatchItem"},"tag":"RequestMessage","value":[{"__proto__":{"value":1},"tag":"unique_identifier","type":"TEXT_STRING","value":"\\u0078"}]}',
  ])
    assert.deepEqual(decodeJson(raw(text)), tree);
  assert.throws(() => decodeJson(raw('{"__proto__":{"tag":"RequestMessage","value":[]}}')), { reason: 'InvalidMessage' });
  assert.equal(({} as { tag?: unknown }).tag, undefined);
});

test('what is no tree', () => {
  for (const text of [
    '',
    'null',
    '[]',
    '5',
    '"x"',
    '{}',
    '{"tag":"RequestMessage"}',
    '{"tag":5,"value":[]}',
    '{"tag":"RequestMessage","value":[null]}',
    '{"tag":"Data","type":"Boolean","value":true}',
  ])
    assert.throws(() => decodeJson(raw(text)), { reason: 'InvalidMessage' }, text);
  const inside = (text: string) => raw(`{"tag":"RequestMessage","value":[${text}]}`);
  assert.throws(() => decodeJson(inside('{"tag":"NoSuch","value":[]}')), { message: 'RequestMessage: unknown tag: "NoSuch"' });
  assert.throws(() => decodeJson(inside('{"tag":"BatchCount","value":1}')), { message: 'RequestMessage/BatchCount: the field has no type' });
  assert.throws(() => decodeJson(inside('{"tag":"BatchCount","type":"Int","value":1}')), { message: 'RequestMessage/BatchCount: unknown type: "Int"' });
  assert.throws(() => decodeJson(raw('{"tag":"secret" oops')), { message: 'the body is not valid JSON, at character 16' });
  assert.throws(() => decodeJson(new Uint8Array([0x22, 0xc3, 0x28, 0x22])), { message: /not UTF-8/ });
});

test('deep nesting and many values are refused before anything is built', () => {
  const deep = raw('['.repeat(8_000_000));
  assert.throws(() => decodeJson(deep), { reason: 'InvalidMessage', message: /nested too deep: at most 64/ });
  const wide = raw(`[${'{},'.repeat(3_000_000)}{}]`);
  assert.throws(() => decodeJson(wide), { reason: 'InvalidMessage', message: /too many fields/ });
  const quotes = `\\"[${'[{\\\\'.repeat(40_000)}`;
  assert.equal(decodeJson(raw(`{"tag":"Attributes","value":[{"tag":"NameValue","type":"TextString","value":"${quotes}"}]}`)).value.length, 1);
  const long = `${'x'.repeat(70_000)}\\\\`;
  assert.equal(
    decodeJson(raw(`{"tag":"Attributes","value":[{"tag":"NameValue","type":"TextString","value":"${long}"},{"tag":"Fresh","type":"Boolean","value":true}]}`))
      .value.length,
    2,
  );
});

test('a bare operation is a payload under the name of the operation', () => {
  const fields = [{ tag: 'UniqueIdentifier', type: 'TextString', value: 'x' }];
  for (const [tag, operation] of [
    ['Encrypt', ENUM.Operation.Encrypt],
    ['Mac', ENUM.Operation.MAC],
    ['RE-KEY', ENUM.Operation.ReKey],
  ] as const) {
    const request = decodeJsonRequest(raw(JSON.stringify({ tag, type: 'Structure', value: fields })));
    assert.deepEqual(request, { operation, node: make.structure(TAG.RequestPayload, [make.text(TAG.UniqueIdentifier, 'x')]) });
  }
  for (const tag of ['RequestMessage', '0x420078']) assert.equal(decodeJsonRequest(raw(`{"tag":"${tag}","value":[]}`)).operation, undefined);
  assert.throws(() => decodeJsonRequest(raw('{"tag":"NoSuch","value":[]}')), { reason: 'OperationNotSupported', message: 'unknown operation: "NoSuch"' });
  assert.throws(() => decodeJsonRequest(raw('{"tag":"Encrypt","value":5}')), { reason: 'InvalidMessage' });
  assert.throws(() => decodeJsonRequest(raw('{"tag":"Encrypt","value":[{"tag":"Data"}]}')), { message: 'RequestPayload/Data: the field has no type' });
  assert.throws(() => decodeJsonRequest(raw('null')), { reason: 'InvalidMessage' });
  assert.equal(new TextDecoder().decode(encodeJson(make.structure(TAG.ResponsePayload, []), 'EncryptResponse')), '{"tag":"EncryptResponse","value":[]}');
});

test.run();
