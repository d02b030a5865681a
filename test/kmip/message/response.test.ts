// Response messages: who is told a ServerCorrelationValue, which clients of older versions cannot read.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { failedMessage, responseMessage } from '../../../kmip/message/response.ts';
import { child, required, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';

const value = (major: number, minor: number, correlated: boolean): string | undefined => {
  const message = responseMessage({ version: { major, minor }, now: 5, correlated, requestId: 'r-1' }, []);
  return textOf(required(structureOf(message, TAG.ResponseHeader), TAG.ResponseHeader), TAG.ServerCorrelationValue);
};

test('2.1 has a correlation value always, 1.4 and 2.0 for clients that send one, older versions never', () => {
  const told = (correlated: boolean) => ['1.0', '1.3', '1.4', '2.0', '2.1'].filter((name) => value(Number(name[0]), Number(name[2]), correlated) !== undefined);
  assert.deepEqual(told(false), ['2.1']);
  assert.deepEqual(told(true), ['1.4', '2.0', '2.1']);
  assert.equal(value(2, 1, true), 'r-1');
});

test('a message that cannot be executed is answered by one item, of no operation', () => {
  const item = required(structureOf(failedMessage({ version: { major: 1, minor: 4 }, now: 5 }, 'InvalidMessage', 'why'), TAG.BatchItem), TAG.BatchItem);
  assert.equal(textOf(item, TAG.ResultMessage), 'why');
  assert.equal(child(item, TAG.Operation), undefined);
});

test.run();
