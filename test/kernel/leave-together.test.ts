// Answers that turns of the event loop make one after the other leave together, in order, when a turn makes none. None waits longer than a millisecond, and one that is alone does not wait.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { test } from 'uvu';
import { leaveTogether } from '../../kernel/leave-together.ts';

const sent: string[] = [];
/** A turn takes no time unless a test says so: on a busy machine a real one may take more than answers wait. */
let nowMs = 0;
Object.defineProperty(performance, 'now', { value: () => nowMs });

const answerOf = (name: string) => {
  const answer = {
    hasLeft: false,
    leave() {
      sent.push(name);
      // An answer of HTTP is finished at the end of the turn in which it was written.
      setImmediate(() => {
        answer.hasLeft = true;
      });
    },
  };
  return answer;
};
const endOfTurn = () => new Promise((resolve) => setImmediate(resolve));
/** One that made answers, and one that made none. */
const endOfTurns = async () => {
  for (let turn = 0; turn < 2; turn += 1) await endOfTurn();
};
/** Leaves no memory of turns with one answer. */
const leaveTwo = async () => {
  for (const name of ['one', 'two']) leaveTogether(answerOf(name));
  await endOfTurns();
  sent.length = 0;
};
const ENOUGH = 10;
const leaveAlone = async () => {
  for (let turn = 0; turn < ENOUGH; turn += 1) {
    leaveTogether(answerOf('alone'));
    await endOfTurns();
  }
  sent.length = 0;
};

test.before.each(leaveTwo);

test('answers of one turn leave when the next one makes none, in the order in which they were made', async () => {
  leaveTogether(answerOf('first'));
  await Promise.resolve();
  leaveTogether(answerOf('second'));
  assert.deepEqual(sent, []);
  await endOfTurns();
  assert.deepEqual(sent, ['first', 'second']);
});

test('answers of turns that follow one another leave with the last of them', async () => {
  for (const name of ['first', 'second', 'third']) {
    leaveTogether(answerOf(name));
    assert.deepEqual(sent, []);
    await endOfTurn();
  }
  await endOfTurn();
  assert.deepEqual(sent, ['first', 'second', 'third']);
});

test('turns without end keep no answer waiting: those of a millisecond leave', async () => {
  const began = nowMs;
  let made = 0;
  for (; nowMs < began + 20; made += 1) {
    nowMs += 0.3;
    leaveTogether(answerOf(String(made)));
    await endOfTurn();
  }
  assert.ok(sent.length > 0, `${made} were made, and none left`);
  await endOfTurns();
  assert.deepEqual(
    sent,
    Array.from({ length: made }, (_, index) => String(index)),
  );
});

test('an answer whose turn took long does not wait for another turn', async () => {
  leaveTogether(answerOf('early'));
  nowMs += 3;
  await endOfTurn();
  assert.deepEqual(sent, ['early']);
});

test('if the turn takes long, those that wait leave with the next answer, and once', async () => {
  leaveTogether(answerOf('early'));
  nowMs += 3;
  leaveTogether(answerOf('late'));
  assert.deepEqual(sent, ['early', 'late']);
  leaveTogether(answerOf('next'));
  assert.equal(sent.length, 2);
  await endOfTurns();
  assert.deepEqual(sent, ['early', 'late', 'next']);
});

test('after some turns with one answer each, the next one leaves at once', async () => {
  await leaveAlone();
  for (let turn = 0; turn < 3; turn += 1) {
    leaveTogether(answerOf('at once'));
    assert.equal(sent.length, turn + 1);
    await endOfTurns();
  }
  assert.equal(sent.length, 3);
});

test('a second answer of such a turn waits for its end, and those of the next turns leave together', async () => {
  await leaveAlone();
  for (const name of ['at once', 'second', 'third']) leaveTogether(answerOf(name));
  assert.deepEqual(sent, ['at once']);
  await endOfTurns();
  assert.deepEqual(sent, ['at once', 'second', 'third']);
  leaveTogether(answerOf('waits'));
  assert.equal(sent.length, 3);
  await endOfTurns();
  assert.equal(sent.length, 4);
});

test('a client that reads nothing does not keep the answers of others waiting for more than a turn', async () => {
  await leaveAlone();
  leaveTogether({ hasLeft: false, leave: () => void sent.push('stuck') });
  await endOfTurns();
  leaveTogether(answerOf('next'));
  await endOfTurns();
  assert.deepEqual(sent, ['stuck', 'next']);
  await leaveAlone();
  leaveTogether(answerOf('at once'));
  assert.deepEqual(sent, ['at once']);
});

test.run();
