// A tour fails by a step that fails, by one that should and does not, by one that is missing, and by its status.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { outcomeOf } from './steps.ts';

const refusals = [{ step: 'destroy twice', says: /PermissionDenied/, reason: 'what is gone cannot go' }];
const lines = (...steps: object[]) => `a word of the program\n${steps.map((step) => `${JSON.stringify(step)}\n`).join('')}`;
const outcome = (stdout: string, status = 0) => outcomeOf({ status, stdout, stderr: 'last words' }, refusals);

test('steps that go well and those that fail on purpose pass', () => {
  assert.deepEqual(outcome(lines({ step: 'create' }, { step: 'destroy twice', error: 'reason=PermissionDenied' })), { passed: 2, problems: [] });
});

test('each way to fail is a problem', () => {
  assert.deepEqual(outcome(lines({ step: 'create', error: 'no' }, { step: 'destroy twice', error: 'ItemNotFound' })).problems, [
    'create: no',
    'destroy twice: failed by ItemNotFound, expected /PermissionDenied/',
  ]);
  assert.match(outcome(lines({ step: 'destroy twice' })).problems.join(), /went well, it should not: what is gone/);
  assert.deepEqual(outcome(lines({ step: 'create' })).problems, ['destroy twice: did not run']);
  assert.match(outcome('', 2).problems.join(), /ended with status 2: last words/);
});

test.run();
