// How many messages of a caller get a line in the log: a burst, and then some a second; each caller has its own.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { CorrelationRate } from '../../../../actors/kmip/message/correlation-rate.ts';

const admitted = (rate: CorrelationRate, caller: string, now: number, messages: number) =>
  Array.from({ length: messages }, () => rate.admit(caller, now)).filter((unlogged) => unlogged !== undefined);

test('after a burst some lines a second are left, and the first says how many are missing', () => {
  const rate = new CorrelationRate();
  assert.equal(admitted(rate, 'busy', 0, 5_000).length, 500);
  assert.equal(admitted(rate, 'other', 0, 5).length, 5, 'another caller does not notice');
  assert.deepEqual(admitted(rate, 'busy', 1_000, 100), [4_500, ...Array.from({ length: 9 }, () => 0)]);
  assert.equal(admitted(rate, 'busy', 1e9, 5_000).length, 500, 'a rest gives the burst back');
});

test('callers that were not seen for long are forgotten', () => {
  const rate = new CorrelationRate();
  admitted(rate, 'first', 0, 500);
  for (let n = 0; n < 9_999; n += 1) rate.admit(`c${n}`, 0);
  assert.deepEqual(admitted(rate, 'first', 0, 1), []);
  for (let n = 0; n < 10_000; n += 1) rate.admit(`c${n}`, 0);
  assert.deepEqual(admitted(rate, 'first', 0, 1), [0]);
});

test.run();
