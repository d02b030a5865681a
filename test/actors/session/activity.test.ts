// When sessions were last used is written in time, also if the wall clock is set back before a write is due.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { Activity } from '../../../actors/session/activity.ts';
import type { StoredSession } from '../../../actors/session/rows.ts';
import { movedClock } from '../../kernel/runtime/two-ends.ts';

const IDLE_SECONDS = 1_000;
/** A tenth of it. */
const DUE_MS = 100_000;

test('a use is written at the latest after a tenth of the idle limit of the clock that was set back', async () => {
  const { clock, advance, setWall } = movedClock();
  const written: string[] = [];
  const activity = new Activity(
    async (used) => {
      written.push(...used.map(({ id }) => id));
      return used.length;
    },
    clock,
    assert.ifError,
  );
  const use = (id: string) => {
    const now = clock.now();
    assert.equal(activity.note({ use: { id, maxStaleAgeSeconds: IDLE_SECONDS, seenAt: now, writtenAt: now } } as StoredSession), true);
  };
  use('before');
  setWall(-DUE_MS / 2);
  use('after');
  await advance(DUE_MS + 1_000);
  assert.deepEqual(written, ['after']);
  await advance(DUE_MS / 2);
  assert.deepEqual(written, ['after', 'before']);
  // A clock that runs behind by a moment when the timer fires.
  use('last');
  setWall(-500);
  await advance(DUE_MS);
  assert.deepEqual(written, ['after', 'before']);
  await advance(1_000);
  assert.deepEqual(written, ['after', 'before', 'last']);
  await activity.stop();
});

test.run();
