// Turns: quick callers have many at once, slow ones leave room for others, and nobody waits for somebody else.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type Leave, Turns } from '../../../kernel/limits/turns.ts';

function table(least = 1, alone = least) {
  const time = { ms: 0 };
  const turns = new Turns({ least, alone, monotonic: () => time.ms });
  /** Those that have begun; the others wait. */
  const begun: Leave[] = [];
  const enter = async (who = 'ann', signal?: AbortSignal) => void begun.push(await turns.enter(who, signal && { signal }));
  return { turns, time, begun, enter };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));
const nothing = () => undefined;

test('a caller begins with four, and has one more with each quick answer', async () => {
  const { begun, enter } = table();
  for (let n = 0; n < 20; n += 1) void enter();
  await settle();
  assert.equal(begun.length, 4);
  begun[0]?.();
  await settle();
  // One has left, and five are allowed now.
  assert.equal(begun.length, 6);
  begun[0]?.();
  await settle();
  assert.equal(begun.length, 6);
});

test('slow answers leave one at a time, quick ones later bring the others back; other callers do not wait', async () => {
  const { begun, enter, time } = table();
  for (let n = 0; n < 8; n += 1) void enter();
  await settle();
  time.ms = 1_000;
  for (const leave of begun.slice(0, 4)) leave();
  await settle();
  assert.equal(begun.length, 5);
  void enter('bob');
  await settle();
  assert.equal(begun.length, 6);
  begun[4]?.();
  await settle();
  assert.equal(begun.length, 8);
});

test('the lowest limit applies to slow callers', async () => {
  const { begun, enter, time } = table(3);
  for (let n = 0; n < 9; n += 1) void enter();
  await settle();
  for (let at = 0; at < 4; at += 1) {
    time.ms += 1_000;
    begun[at]?.();
  }
  await settle();
  assert.equal(begun.length, 7);
});

test('a caller that is alone keeps every thread busy; as soon as others are there, it leaves them room', async () => {
  const { begun, enter, time } = table(1, 2);
  for (let n = 0; n < 20; n += 1) void enter();
  await settle();
  /** One leaves, slowly. @returns how many are under way then */
  const leaveOne = async (done: number) => {
    time.ms += 1_000;
    begun[done]?.();
    await settle();
    return begun.length - done - 1;
  };
  const alone: number[] = [];
  for (let done = 0; done < 6; done += 1) alone.push(await leaveOne(done));
  assert.deepEqual(alone, [3, 2, 2, 2, 2, 2]);
  await enter('bob');
  // Bob has not left, and is one of those under way.
  assert.deepEqual([await leaveOne(6), await leaveOne(7)], [2, 2]);
});

test('a caller that goes away while it waits is forgotten; too many waiting requests are refused', async () => {
  const { turns, begun, enter } = table();
  const gone = new AbortController();
  for (let n = 0; n < 4; n += 1) void enter();
  const waits = enter('ann', gone.signal);
  const late = enter('ann', AbortSignal.abort());
  gone.abort();
  await assert.rejects(waits, { code: 'CANCELLED' });
  await assert.rejects(late, { code: 'CANCELLED' });
  for (let n = 0; n < 1_024; n += 1) void Promise.resolve(turns.enter('ann')).then(nothing);
  assert.throws(() => turns.enter('ann'), { code: 'OVERLOADED' });
  await settle();
  assert.equal(begun.length, 4);
});

test('requests that wait begin when turns end that began before ten thousand other callers', async () => {
  const { turns, begun, enter } = table();
  for (let n = 0; n < 4; n += 1) await enter();
  for (let n = 0; n <= 10_000; n += 1) (turns.enter(`caller ${n}`) as Leave)();
  void enter();
  await settle();
  assert.equal(begun.length, 4);
  begun[0]?.();
  await settle();
  assert.equal(begun.length, 5);
});

test.run();
