// The binary encoding: the examples of the specification, and everything it refuses.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { decodeBinary, encodeBinary } from '../../../kmip/ttlv/binary.ts';
import * as make from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { plain } from './trees.ts';

const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(/[ |]/g, ''), 'hex'));
const TAG_OF_EXAMPLES = 0x420020;

/** Specification 1.4 section 9.1.2. */
const EXAMPLES: readonly (readonly [make.Node, string])[] = [
  [make.integer(TAG_OF_EXAMPLES, 8), '42 00 20 | 02 | 00 00 00 04 | 00 00 00 08 00 00 00 00'],
  [make.longInteger(TAG_OF_EXAMPLES, 123456789000000000n), '42 00 20 | 03 | 00 00 00 08 | 01 B6 9B 4B A5 74 92 00'],
  [make.bigInteger(TAG_OF_EXAMPLES, 1234567890000000000000000000n), '42 00 20 | 04 | 00 00 00 10 | 00 00 00 00 03 FD 35 EB 6B C2 DF 46 18 08 00 00'],
  [make.enumeration(TAG_OF_EXAMPLES, 255), '42 00 20 | 05 | 00 00 00 04 | 00 00 00 FF 00 00 00 00'],
  [make.boolean(TAG_OF_EXAMPLES, true), '42 00 20 | 06 | 00 00 00 08 | 00 00 00 00 00 00 00 01'],
  [make.text(TAG_OF_EXAMPLES, 'Hello World'), '42 00 20 | 07 | 00 00 00 0B | 48 65 6C 6C 6F 20 57 6F 72 6C 64 00 00 00 00 00'],
  [make.bytes(TAG_OF_EXAMPLES, new Uint8Array([1, 2, 3])), '42 00 20 | 08 | 00 00 00 03 | 01 02 03 00 00 00 00 00'],
  [make.dateTime(TAG_OF_EXAMPLES, Date.UTC(2008, 2, 14, 11, 56, 40) / 1000), '42 00 20 | 09 | 00 00 00 08 | 00 00 00 00 47 DA 67 F8'],
  [make.interval(TAG_OF_EXAMPLES, 10 * 24 * 3600), '42 00 20 | 0A | 00 00 00 04 | 00 0D 2F 00 00 00 00 00'],
  [
    make.structure(TAG_OF_EXAMPLES, [make.enumeration(0x420004, 254), make.integer(0x420005, 255)]),
    '42 00 20 | 01 | 00 00 00 20 | 42 00 04 | 05 | 00 00 00 04 | 00 00 00 FE 00 00 00 00 | 42 00 05 | 02 | 00 00 00 04 | 00 00 00 FF 00 00 00 00',
  ],
];

/** A message with one field given in hexadecimal. */
const around = (field: string) => {
  const inside = hex(field);
  const message = new Uint8Array(8 + inside.length);
  message.set(hex('420078 01'));
  new DataView(message.buffer).setUint32(4, inside.length);
  message.set(inside, 8);
  return message;
};

const refused = (field: string, message: RegExp) => assert.throws(() => decodeBinary(around(field)), { reason: 'InvalidMessage', message }, field);

test('the examples of the specification', () => {
  for (const [node, bytes] of EXAMPLES) {
    assert.deepEqual([...encodeBinary(node)], [...hex(bytes)]);
    const tree = node.type === make.TYPE.Structure ? decodeBinary(hex(bytes)) : decodeBinary(around(bytes)).value[0];
    assert.deepEqual(plain(tree as make.Node), plain(node));
  }
});

test('numbers at the edges of their types', () => {
  for (const node of [
    make.integer(TAG.BatchCount, -(2 ** 31)),
    make.integer(TAG.BatchCount, 2 ** 31 - 1),
    make.enumeration(TAG.Operation, 0xffffffff),
    make.dateTime(TAG.TimeStamp, -1),
    make.dateTime(TAG.TimeStamp, Number.MAX_SAFE_INTEGER),
    make.dateTime(TAG.TimeStamp, Number.MIN_SAFE_INTEGER),
    make.longInteger(TAG.UsageLimitsTotal, -(2n ** 63n)),
    make.dateTimeExtended(TAG.TimeStamp, 2n ** 63n - 1n),
    ...[0n, -1n, 2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n), -(2n ** 63n) - 1n, 2n ** 64n - 1n].map((value) => make.bigInteger(TAG.Modulus, value)),
  ]) {
    assert.deepEqual(decodeBinary(encodeBinary(make.structure(TAG.Attributes, [node]))).value, [node]);
  }
  assert.equal(encodeBinary(make.bigInteger(TAG.Modulus, 2n ** 63n - 1n)).length, 16);
  assert.equal(encodeBinary(make.bigInteger(TAG.Modulus, 2n ** 63n)).length, 24);
  assert.equal(encodeBinary(make.bigInteger(TAG.Modulus, -(2n ** 63n))).length, 16);
});

test('the largest DateTime is read and written as it is; others that are not exact are refused', () => {
  const message = (seconds: string) => hex(`42007801 00000010 420092 09 00000008 ${seconds}`);
  const largest = decodeBinary(message('7fffffffffffffff'));
  assert.deepEqual(largest.value, [make.dateTime(TAG.TimeStamp, Number.MAX_SAFE_INTEGER)]);
  assert.deepEqual(Buffer.from(encodeBinary(largest)), Buffer.from(message('7fffffffffffffff')));
  for (const seconds of ['7ffffffffffffffe', '0020000000000000', '8000000000000000']) assert.throws(() => decodeBinary(message(seconds)), /less than 2\^53/);
  for (const seconds of [2 ** 53, -(2 ** 53), 1.5]) assert.throws(() => encodeBinary(make.dateTime(TAG.TimeStamp, seconds)), RangeError);
});

test('lengths that are not those of the type', () => {
  refused('42000d 02 00000008 0000000000000001', /^RequestMessage\/BatchCount: byte 12: the length is 8 bytes, but this type takes 4$/);
  refused('42000d 02 00000003 0000000100000000', /the length is 3/);
  refused('420095 03 00000004 0000000100000000', /this type takes 8/);
  refused('420010 06 00000004 0000000100000000', /this type takes 8/);
  refused('420092 09 00000004 0000000100000000', /this type takes 8/);
  refused('420052 04 00000004 0000000100000000', /multiple of 8/);
  refused('420052 04 00000000', /multiple of 8/);
  refused('42000d 02 00000004 00000001', /only 12 bytes are left/);
  refused('4200c2 08 ffffffff 0000000000000000', /only 8 bytes are left/);
  refused('4200c2 08 00000009 0000000000000000', /only 8 bytes are left/);
  refused('420008 01 00000014 42000d02000000040000000100000000 42000d0200000000', /needs 8 bytes/);
  refused('420008 01 0000000c 42000d02000000040000000100000000', /only 4 bytes are left/);
  refused('420008 01 00000004 42000d0200000000', /needs 8 bytes/);
});

test('padding, Booleans, dates and text that are not right', () => {
  refused('42000d 02 00000004 0000000100000001', /^RequestMessage\/BatchCount: byte 20: padding bytes must be zero$/);
  refused('4200c2 08 00000003 0102030000000001', /padding/);
  refused('420055 07 00000001 4100000000010000', /padding/);
  refused('420010 06 00000008 0000000000000002', /a Boolean must be 0 or 1/);
  refused('420010 06 00000008 0100000000000001', /a Boolean must be 0 or 1/);
  refused('420092 09 00000008 0020000000000000', /less than 2\^53/);
  refused('420055 07 00000002 c328000000000000', /not UTF-8/);
  refused('420055 07 00000003 eda0800000000000', /not UTF-8/);
});

test('tags and types that there are not', () => {
  refused('42000d 0f 00000004 0000000100000000', /^RequestMessage\/BatchCount: byte 11: 0x0f is not a valid type$/);
  refused('42000d 00 00000000', /0x00 is not a valid type/);
  refused('410001 02 00000004 0000000100000000', /^RequestMessage: byte 8: 0x410001 is not a valid tag$/);
  assert.equal(decodeBinary(around('42fff0 02 00000004 0000000100000000')).value[0]?.tag, 0x42fff0);
  assert.throws(() => decodeBinary(hex('42000d 02 00000004 0000000100000000')), { message: /a message must be a Structure/ });
  assert.throws(() => decodeBinary(hex('420078 01 00000000 00')), { message: /byte 8: there are bytes after the end of the message/ });
});

test('bytes are read where they lie in a larger buffer', () => {
  const message = encodeBinary(make.structure(TAG.RequestMessage, [make.text(TAG.NameValue, 'ü'), make.bytes(TAG.Data, new Uint8Array([7, 8]))]));
  const larger = new Uint8Array(message.length + 13);
  larger.set(message, 5);
  assert.deepEqual(plain(decodeBinary(larger.subarray(5, 5 + message.length))), plain(decodeBinary(message)));
});

test.run();
