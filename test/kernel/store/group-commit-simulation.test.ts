// The group commit under a seeded scheduler: whatever fails, what was answered is there, what was refused is not, and the audit log tells of both.
// GATEHOUSE_GROUP_RUNS=20000 runs more of them; GATEHOUSE_GROUP_SEED=42 repeats one.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type Mistake, runWorld } from './group-commit-world.ts';

const RUNS = Number(process.env['GATEHOUSE_GROUP_RUNS'] ?? 1_000);
const FIRST = Number(process.env['GATEHOUSE_GROUP_SEED'] ?? 1);
const LAST = process.env['GATEHOUSE_GROUP_SEED'] === undefined ? RUNS : FIRST;
/** Worlds that run beside each other: they mostly wait. */
const WIDTH = 50;

async function runAll(seeds: readonly number[], mistake?: Mistake) {
  const found: { readonly seed: number; readonly violations: readonly string[] }[] = [];
  const sum = { kept: 0, failed: 0, groups: 0 };
  for (let at = 0; at < seeds.length; at += WIDTH) {
    const batch = seeds.slice(at, at + WIDTH);
    for (const [index, { violations, kept, failed, groups }] of (await Promise.all(batch.map((seed) => runWorld(seed, mistake)))).entries()) {
      if (violations.length > 0) found.push({ seed: batch[index] as number, violations });
      sum.kept += kept;
      sum.failed += failed;
      sum.groups += groups;
    }
    if (mistake && found.length > 0) break;
  }
  return { found, sum };
}

test('what was answered is there as a whole, what was refused has left nothing, whatever fails', async () => {
  const seeds = Array.from({ length: LAST - FIRST + 1 }, (_, at) => FIRST + at);
  const { found, sum } = await runAll(seeds);
  assert.deepEqual(found, [], 'GATEHOUSE_GROUP_SEED repeats one');
  // Both happen, and transactions do share commits: else nothing is shown.
  assert.ok(sum.kept > 20 * seeds.length && sum.failed > 2 * seeds.length && sum.groups < 0.6 * sum.kept, JSON.stringify(sum));
});

for (const mistake of [
  'answered before the commit',
  'savepoints undo nothing',
  'audit goes on after an undo',
  'settled before it is seen',
  'audit trusts a lost commit',
] satisfies Mistake[])
  test(`a mistake put in on purpose is found: ${mistake}`, async () => {
    const { found } = await runAll(
      Array.from({ length: RUNS }, (_, at) => at + 1),
      mistake,
    );
    assert.ok(found.length > 0, `${RUNS} runs did not find it`);
  });

test.run();
