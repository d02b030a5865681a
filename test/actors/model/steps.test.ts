// Work in steps: other calls are served between them, and a caller that leaves ends it.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { Batches } from '../../../actors/model/onnx/batches.ts';
import { atOnce, eachInSlices, inSlices, type Steps } from '../../../actors/model/onnx/steps.ts';
import type { Fault } from '../../../kernel/fault.ts';

function* counted(steps: number): Steps<number> {
  for (let step = 0; step < steps; step += 1) yield;
  return steps;
}

test('the result is the same at once and in slices', async () => {
  assert.equal(atOnce(counted(7)), 7);
  assert.equal(await inSlices(counted(7), undefined), 7);
  assert.deepEqual(await eachInSlices([counted(0), counted(3)], undefined), [0, 3]);
});

test('what arrives meanwhile is served between two slices', async () => {
  let isHeard = false;
  setImmediate(() => {
    isHeard = true;
  });
  function* untilHeard(): Steps<string> {
    while (!isHeard) yield;
    return 'heard';
  }
  assert.equal(await inSlices(untilHeard(), undefined), 'heard');
});

test('it ends when its caller leaves', async () => {
  function* endless(): Steps<never> {
    for (;;) yield;
  }
  const leave = new AbortController();
  setImmediate(() => leave.abort());
  await assert.rejects(inSlices(endless(), leave.signal), (error: Fault) => error.code === 'CANCELLED');
});

test('texts whose caller has left before they come to their batch are not worked on', async () => {
  const worked: number[] = [];
  const batches = new Batches(async (rows) => rows.map(({ ids }) => Float32Array.of(worked.push(ids.length))), 1);
  await assert.rejects(batches.add([[1, 2]], AbortSignal.abort()), (error: Fault) => error.code === 'CANCELLED');
  assert.deepEqual(await batches.add([[1]], undefined), [Float32Array.of(1)]);
  assert.deepEqual(worked, [1]);
});

test.run();
