// The turns of calls on a token: answers leave after some work, also of short calls, and who has come first begins first.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { Turns } from '../../../actors/hsm/work/turns.ts';
import { callContext } from '../../../kernel/call-context.ts';

/** Keeps the thread busy, as a call of a token does. */
function work(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

function worked<T>(ms: number, value: T): T {
  work(ms);
  return value;
}

const turnOfLoop = () => new Promise((next) => setImmediate(next));

test('calls begin at once until they have taken a millisecond together', () => {
  const turns = new Turns();
  const begun = [0.4, 0.4, 0.4, 0.4].map((ms) => turns.next(() => turns.time(() => work(ms))) instanceof Promise);
  assert.equal(begun[0], false);
  assert.equal(begun.at(-1), true);
});

test('the answers of calls that come together leave before all of them are done', async () => {
  const turns = new Turns();
  const done: number[] = [];
  const calls = Array.from({ length: 12 }, (_, at) => turns.next(() => turns.time(() => done.push(worked(0.6, at)))));
  const counts: number[] = [];
  while (done.length < calls.length) {
    counts.push(done.length);
    await turnOfLoop();
  }
  await Promise.all(calls);
  assert.deepEqual(
    done,
    calls.map((_, at) => at),
    'in the order in which they came',
  );
  assert.ok(new Set(counts).size >= 4, `the loop has turned at ${[...new Set(counts)]}`);
});

test('calls that wait in two ways take turns, and none is passed over for good', async () => {
  const turns = new Turns();
  let isOver = false;
  let others = 0;
  const other = async () => {
    while (!isOver) {
      for (let slow = turns.pause; slow; slow = turns.pause) await slow;
      turns.time(() => work(1.2));
      others += 1;
      await turnOfLoop();
    }
  };
  const running = [other(), other()];
  await turnOfLoop();
  const order: number[] = [];
  await Promise.all([1, 2, 3, 4].map((each) => turns.next(() => turns.time(() => order.push(worked(1.2, each))))));
  isOver = true;
  await Promise.all(running);
  assert.deepEqual(order, [1, 2, 3, 4]);
  assert.ok(others > 2, `${others} of the others`);
});

test('a call that has waited runs as the call that it is, and its failure is its own', async () => {
  const turns = new Turns();
  const calls = ['one', 'two'].map((requestId) => ({ requestId }));
  turns.time(() => work(1.2));
  const [one, two] = calls.map((call) => callContext.run(call as never, () => turns.next(() => callContext.getStore())));
  const broken = turns.next(() => {
    throw new Error('broken');
  });
  assert.deepEqual(await Promise.all([one, two]), calls);
  await assert.rejects(broken as Promise<never>, /broken/);
  await turnOfLoop();
  assert.equal(
    turns.next(() => 3),
    3,
  );
});

test.run();
