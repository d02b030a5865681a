// The test runner runs again, by itself, what failed among others.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { FAIL, file, PASS, removeRepositories, run } from './made-up-run.ts';
import { temporaryFolder } from './server.ts';

test.after(removeRepositories);

test('what fails among others runs again by itself, and is named if it passes then', async () => {
  const folder = temporaryFolder();
  const marker = join(folder, 'ran');
  const once = `test('once', () => { if (!existsSync('${marker}')) { writeFileSync('${marker}', ''); throw new Error('busy'); } });`;
  const unsteady = `import { existsSync, writeFileSync } from 'node:fs';\n${file(PASS, once)}`;
  const steady = await run({ passes: file(PASS), unsteady });
  assert.deepEqual([steady.status, steady.last], [0, '3 passed, 0 failed']);
  assert.ok(steady.lines.includes('unsteady, failed among others and passed by itself: test/unsteady.test.ts'));
  assert.ok(
    steady.lines.some((line) => line.includes('busy')),
    'its first failure is not shown',
  );
  rmSync(marker);
  const only = await run({ unsteady });
  assert.deepEqual([only.status, only.last], [1, '1 passed, 1 failed']);
  rmSync(folder, { recursive: true });
});

test('when many files fail, none is run again', async () => {
  const many = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`fails-${at}`, file(FAIL)]));
  const { last, lines } = await run(many, { limitMs: 20_000 });
  assert.equal(last, '0 passed, 6 failed');
  assert.ok(!lines.some((line) => line.startsWith('again')));
});

test.run();
