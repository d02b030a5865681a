// Answers that one turn of the event loop makes leave at its end, in order, and none waits long for the others; one that is alone in its turn does not wait.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { test } from 'uvu';
import { leaveTogether } from '../../../kernel/http/leave-together.ts';

const sent: string[] = [];
const responseOf = (name: string) => {
  const response = {
    writableFinished: false,
    end(body: unknown, encoding: unknown) {
      sent.push(`${name} ${body} ${encoding}`);
      // As of a response: it is written at once, and finished when the turn is over.
      setImmediate(() => {
        response.writableFinished = true;
      });
    },
  };
  return response as never;
};
const endOfTurn = () => new Promise((resolve) => setImmediate(resolve));
/** Leaves no memory of turns with one answer. */
const leaveTwo = async () => {
  for (const name of ['one', 'two']) leaveTogether(responseOf(name), '', 'utf8');
  await endOfTurn();
  sent.length = 0;
};
const ENOUGH = 10;
const leaveAlone = async () => {
  for (let turn = 0; turn < ENOUGH; turn += 1) {
    leaveTogether(responseOf('alone'), '', 'utf8');
    await endOfTurn();
  }
  sent.length = 0;
};

test.before.each(leaveTwo);

test('answers of one turn leave at its end, in the order in which they were made', async () => {
  leaveTogether(responseOf('first'), '{}', 'utf8');
  await Promise.resolve();
  leaveTogether(responseOf('second'), 'b', 'latin1');
  assert.deepEqual(sent, []);
  await endOfTurn();
  assert.deepEqual(sent, ['first {} utf8', 'second b latin1']);
});

test('if the turn takes long, those that wait leave with the next answer, and once', async () => {
  leaveTogether(responseOf('early'), '1', 'utf8');
  for (const until = performance.now() + 3; performance.now() < until; );
  leaveTogether(responseOf('late'), '2', 'utf8');
  assert.deepEqual(sent, ['early 1 utf8', 'late 2 utf8']);
  leaveTogether(responseOf('next'), '3', 'utf8');
  assert.equal(sent.length, 2);
  await endOfTurn();
  assert.deepEqual(sent, ['early 1 utf8', 'late 2 utf8', 'next 3 utf8']);
});

test('after some turns with one answer each, the next one leaves at once', async () => {
  await leaveAlone();
  for (let turn = 0; turn < 3; turn += 1) {
    leaveTogether(responseOf('at once'), '1', 'utf8');
    assert.equal(sent.length, turn + 1);
    await endOfTurn();
  }
  assert.equal(sent.length, 3);
});

test('a second answer of such a turn waits for its end, and those of the next turns leave together', async () => {
  await leaveAlone();
  for (const name of ['at once', 'second', 'third']) leaveTogether(responseOf(name), '1', 'utf8');
  assert.deepEqual(sent, ['at once 1 utf8']);
  await endOfTurn();
  assert.deepEqual(sent, ['at once 1 utf8', 'second 1 utf8', 'third 1 utf8']);
  leaveTogether(responseOf('waits'), '2', 'utf8');
  assert.equal(sent.length, 3);
  await endOfTurn();
  assert.equal(sent.length, 4);
});

test('a client that reads nothing does not keep the answers of others waiting for more than a turn', async () => {
  await leaveAlone();
  const stuck = { writableFinished: false, end: () => void sent.push('stuck') } as never;
  leaveTogether(stuck, '', 'utf8');
  await endOfTurn();
  leaveTogether(responseOf('next'), '1', 'utf8');
  await endOfTurn();
  assert.deepEqual(sent, ['stuck', 'next 1 utf8']);
  await leaveAlone();
  leaveTogether(responseOf('at once'), '1', 'utf8');
  assert.deepEqual(sent, ['at once 1 utf8']);
});

test.run();
