// Repeated work runs at its interval whether it fails or not, and whoever moves the time finds it done.
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import { repeat } from '../../kernel/repeat.ts';
import { movedClock } from './runtime/two-ends.ts';

/** Real time passes beside the moved one: much longer than a test takes. */
const EVERY_MS = 600_000;

test('work that takes many turns of the event loop is done when the time has moved', async () => {
  const { clock, advance } = movedClock();
  let done = 0;
  const end = repeat(
    clock,
    EVERY_MS,
    async () => {
      for (let turn = 0; turn < 100; turn++) await setImmediate();
      done += 1;
    },
    assert.ifError,
  );
  await advance(EVERY_MS / 2);
  assert.equal(done, 0);
  await advance(EVERY_MS / 2);
  assert.equal(done, 1);
  await advance(EVERY_MS);
  assert.equal(done, 2);
  end();
  await advance(EVERY_MS);
  assert.equal(done, 2);
});

test('a failed run is reported, and the next one follows', async () => {
  const { clock, advance } = movedClock();
  const failures: unknown[] = [];
  const failure = new Error('made by the test');
  const end = repeat(
    clock,
    EVERY_MS,
    () => Promise.reject(failure),
    (error) => failures.push(error),
  );
  await advance(EVERY_MS);
  await advance(EVERY_MS);
  assert.deepEqual(failures, [failure, failure]);
  end();
});

test.run();
