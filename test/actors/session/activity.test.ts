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

test('while uses cannot be written it is told once, and tried every two seconds', async () => {
  const { clock, advance } = movedClock();
  let [tries, told, isAway] = [0, 0, true];
  const activity = new Activity(
    async (used) => {
      tries += 1;
      if (isAway) throw new Error('the database is away');
      return used.length;
    },
    clock,
    () => {
      told += 1;
    },
  );
  const away = async () => {
    [tries, told, isAway] = [0, 0, true];
    const now = clock.now();
    activity.note({ use: { id: 'one', maxStaleAgeSeconds: IDLE_SECONDS, seenAt: now, writtenAt: now } } as StoredSession);
    await advance(DUE_MS + 100);
    for (let second = 0; second < 20; second++) await advance(1_000);
    assert.deepEqual([tries, told], [11, 1]);
    isAway = false;
    await advance(2_000);
    assert.equal(tries, 12);
  };
  await away();
  await away();
});

test.run();
