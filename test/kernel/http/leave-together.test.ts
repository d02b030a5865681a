// Answers that one turn of the event loop makes leave at its end, in order, and none waits long for the others.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { test } from 'uvu';
import { leaveTogether } from '../../../kernel/http/leave-together.ts';

const sent: string[] = [];
const responseOf = (name: string) => ({ end: (body: unknown, encoding: unknown) => void sent.push(`${name} ${body} ${encoding}`) }) as never;
const endOfTurn = () => new Promise((resolve) => setImmediate(resolve));

test('answers of one turn leave at its end, in the order in which they were made', async () => {
  sent.length = 0;
  leaveTogether(responseOf('first'), '{}', 'utf8');
  await Promise.resolve();
  leaveTogether(responseOf('second'), 'b', 'latin1');
  assert.deepEqual(sent, []);
  await endOfTurn();
  assert.deepEqual(sent, ['first {} utf8', 'second b latin1']);
});

test('if the turn takes long, those that wait leave with the next answer, and once', async () => {
  sent.length = 0;
  leaveTogether(responseOf('early'), '1', 'utf8');
  for (const until = performance.now() + 3; performance.now() < until; );
  leaveTogether(responseOf('late'), '2', 'utf8');
  assert.deepEqual(sent, ['early 1 utf8', 'late 2 utf8']);
  leaveTogether(responseOf('next'), '3', 'utf8');
  assert.equal(sent.length, 2);
  await endOfTurn();
  assert.deepEqual(sent, ['early 1 utf8', 'late 2 utf8', 'next 3 utf8']);
});

test.run();
