// The share of the pool shrinks while the thread waits for a core and grows again, slowly, when it does not.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { ownCoreTime, PoolShare } from '../../../actors/kmip/pool-share.ts';
import type { CoreTime } from '../../../kernel/runtime/measure/thread-time.ts';

/** A share, and what moves its time: half a second in which the thread ran for 400 ms and waited for the given part of what it could have run, and cores were idle. */
function shareOf(most: number, isTold = true) {
  let [at, idleMs] = [0, 0];
  let time: CoreTime = { ranMs: 0, waitedMs: 0 };
  const share = new PoolShare({ most, monotonic: () => at, coreTime: () => (isTold ? time : undefined), idleMs: () => idleMs });
  const after = (part: number, idle = 0): number => {
    at += 500;
    idleMs += 500 * idle;
    time = { ranMs: time.ranMs + 400, waitedMs: time.waitedMs + (400 * part) / (1 - part) };
    return share.width;
  };
  return { share, after };
}

test('it halves with every look at which the thread had to wait, down to nothing', () => {
  const { share, after } = shareOf(16);
  assert.equal(share.width, 16);
  assert.deepEqual(
    [0.5, 0.4, 0.3, 0.25, 0.21, 0.5].map((part) => after(part)),
    [8, 4, 2, 1, 0, 0],
  );
});

test('while a core is idle it grows, whether the thread had to wait or not', () => {
  const { after } = shareOf(4);
  assert.deepEqual([after(0.5), after(0.5)], [2, 1]);
  assert.deepEqual(
    [0.5, 0.3, 0.01, 0.5].map((part) => after(part, 0.3)),
    [2, 3, 4, 4],
  );
});

test('with a core idle it gives one piece at once, and each time waits twice as long to give none again', () => {
  const { after } = shareOf(1);
  const looksUntilNone = (): number => {
    let looks = 1;
    while (after(0.5) > 0) looks += 1;
    return looks;
  };
  assert.equal(looksUntilNone(), 1);
  assert.equal(after(0.02, 0.4), 1);
  const first = looksUntilNone();
  assert.equal(after(0.5, 0.4), 1, 'idle is what counts then');
  assert.equal(looksUntilNone(), 2 * first);
  for (let n = 0; n < 10; n += 1) {
    assert.equal(after(0.02, 0.4), 1);
    looksUntilNone();
  }
  assert.equal(after(0.02, 0.4), 1);
  assert.ok(looksUntilNone() <= 256, 'it does not give up');
});

test('it grows by one while the thread does not wait, but not soon after it was too much', () => {
  const { after } = shareOf(3);
  assert.equal(after(0.5), 1);
  let looks = 1;
  while (after(0.01) === 1) looks += 1;
  assert.ok(looks > 5, `${looks} looks`);
  assert.equal(after(0.15), 2);
  assert.equal(after(0), 3);
  assert.equal(after(0), 3);
});

test('it looks only now and then, and stays as it is where the system does not tell', () => {
  const { share, after } = shareOf(16);
  after(0.5);
  assert.equal(share.width, 8);
  assert.equal(share.width, 8);
  assert.equal(shareOf(16, false).after(0.9), 16);
});

test('a thread that shares its core with others has waited; its time is that of the system', () => {
  if (process.platform !== 'linux') return;
  const coreTime = ownCoreTime();
  const before = coreTime() as CoreTime;
  for (const until = performance.now() + 60; performance.now() < until; );
  const after = coreTime() as CoreTime;
  const used = after.ranMs - before.ranMs + (after.waitedMs - before.waitedMs);
  assert.ok(used > 30 && after.waitedMs >= before.waitedMs, `ran and waited ${used} ms of 60`);
});

test.run();
