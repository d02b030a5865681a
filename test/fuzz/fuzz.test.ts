// A short run of every fuzz target with a fresh seed, which is printed; GATEHOUSE_FUZZ_SEED repeats one.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import { type FuzzRun, fuzz } from './target.ts';
import { TARGETS } from './targets.ts';

const MILLISECONDS = 5_000;
/** Also on a machine that takes longer for them. */
const LEAST = 101;
const seed = Number(process.env['GATEHOUSE_FUZZ_SEED'] ?? Math.floor(Math.random() * 0x7fff_ffff));

for (const target of TARGETS) {
  test(`${target.name}, seed ${seed}`, async () => {
    console.log(`${target.name}: seed ${seed}`);
    assert.ok((await fuzz(target, MILLISECONDS, seed, LEAST)) >= LEAST);
  });
}

test('a failure names the seed of its own input', async () => {
  const attempt = () => {
    throw new Error('found');
  };
  const target = { name: 'broken', open: () => ({ attempt }) };
  await assert.rejects(fuzz(target, 1_000, 41), { message: 'broken: npm run fuzz -- 1 41 broken' });
});

test('an input that takes too much CPU time is a failure; one that only waits is none', async () => {
  const taking = (attempt: FuzzRun['attempt']) => fuzz({ name: 'slow', maxMs: 50, open: () => ({ attempt }) }, 1, 41);
  await assert.rejects(
    taking(() => {
      for (const endsAt = performance.now() + 500; performance.now() < endsAt; );
    }),
    /^Error: slow: an input took \d+ ms of CPU: npm run fuzz -- 1 41 slow$/,
  );
  assert.equal(await taking(() => wait(200)), 1);
});

test.run();
