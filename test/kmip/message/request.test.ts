// What a message may hold once only, and how long a refusal is.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { readHeader, readItems } from '../../../kmip/message/request.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { bytes, enumeration, integer, type Structure, structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';

const version = structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, 2), integer(TAG.ProtocolVersionMinor, 1)]);
const header = structure(TAG.RequestHeader, [version, integer(TAG.BatchCount, 1)]);
const members = [enumeration(TAG.Operation, ENUM.Operation.Query), bytes(TAG.UniqueBatchItemID, new Uint8Array(1)), structure(TAG.RequestPayload, [])];
const item = structure(TAG.BatchItem, members);
const read = (...parts: readonly Structure[]) => {
  const message = structure(TAG.RequestMessage, parts);
  return readItems(message, readHeader(message));
};
const twice = (error: unknown) => error instanceof Refusal && error.reason === 'InvalidMessage' && /must have \w+ only once/.test(error.message);

test('header, version, count, operation, identifier and payload are there once', () => {
  assert.equal(read(header, item).length, 1);
  assert.throws(() => read(header, header, item), twice);
  for (const member of header.value) assert.throws(() => read(structure(header.tag, [...header.value, member]), item), twice);
  for (const member of members) assert.throws(() => read(header, structure(item.tag, [...members, member])), twice);
});

test('a refusal that repeats what the client sent is cut', () => {
  assert.equal(new Refusal('ItemNotFound', 'x'.repeat(2_000)).message.length, 2_000);
  assert.equal(new Refusal('ItemNotFound', 'x'.repeat(2 ** 20)).message.length, 2_001);
  assert.ok(new Refusal('ItemNotFound', `x${'😀'.repeat(2_000)}`).message.isWellFormed());
});

test.run();
