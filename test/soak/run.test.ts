// What a run of the soak says: bad options, faults that nothing shows, histories that cannot be, and each promise that is broken. .ci/run makes a whole run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { show } from '../../soak/faults/fault.ts';
import { FAULT_NAMES } from '../../soak/faults/index.ts';
import { History } from '../../soak/history.ts';
import { SESSION } from '../../soak/models/revocable.ts';
import { OptionError, parseOptions } from '../../soak/options.ts';
import { report } from '../../soak/report.ts';
import { PROMISES, Tally } from '../../soak/tally.ts';
import { judgeOne } from '../../soak/verdict.ts';

const RUN = fileURLToPath(new URL('../../soak/run.ts', import.meta.url));

test('a bad option ends with status 2, what was wrong and the usage', () => {
  const { status, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', RUN, '--faults', 'none,such'], { encoding: 'utf8' });
  assert.equal(status, 2);
  assert.match(stderr, /^no such fault: none, such; there are actor-killed, .*\n\nusage: npm run soak/);
  const wrong = [['--minutes', '0'], ['--minutes', 'x'], ['--store', 'other'], ['--clients', '0'], ['--seed', '-1'], ['--what'], ['positional']];
  for (const each of wrong) assert.throws(() => parseOptions(each), OptionError, each.join(' '));
});

test('options: all faults by default, some by their names, or none; a seed of its own each time', () => {
  assert.deepEqual(parseOptions([]).faults, FAULT_NAMES);
  assert.deepEqual(parseOptions(['--faults', 'none']).faults, []);
  assert.deepEqual(parseOptions(['--faults', 'disk-full,hsm-hangs']).faults, ['disk-full', 'hsm-hangs']);
  assert.notEqual(parseOptions([]).seed, parseOptions([]).seed);
});

test('a fault that nothing shows is an error', () => {
  assert.equal(show(true, 'seen'), 'seen');
  assert.throws(() => show(false, 'seen'), /nothing shows it/);
});

test('a history that is not linearizable is told with its operations', async () => {
  const history = new History(SESSION, 's1');
  await history.run('a', 'end', async () => 'ended');
  await history.run('b', 'use', async () => 'accepted');
  assert.match(String(judgeOne(history)), /session s1:\n.*a end: ended.*\n.*b use: accepted/);
  const good = new History(SESSION, 's2');
  await good.run('a', 'end', async () => undefined);
  await good.run('b', 'use', async () => 'accepted');
  assert.equal(judgeOne(good), undefined);
});

for (const promise of PROMISES)
  test(`a run fails where it is not so that ${promise}`, () => {
    const tally = new Tally();
    const options = { ...parseOptions([]), results: '', isQuiet: true };
    const whole = { options, storm: { happened: [], skipped: {} }, verdict: { histories: {}, kept: 0 }, growth: [], tally, seconds: 1 };
    const { log } = console;
    console.log = () => {};
    try {
      assert.equal(report(whole), true);
      tally.wrong(promise, 'something');
      assert.equal(report(whole), false);
    } finally {
      console.log = log;
    }
  });

test.run();
