// The test runner on made-up test files: whatever goes wrong in one, the run is not green, and its last line says so.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import { FAIL, file, PASS, type Ran, ROOT, ran, removeRepositories, repository, run, SKIP } from './made-up-run.ts';
import { skipWithout } from './system.ts';

test.after(removeRepositories);

test('a run in which everything passes is green and counts', async () => {
  const { status, last, lines } = await run({ one: file(PASS, PASS), 'deep/two': file(PASS) });
  assert.deepEqual([status, last], [0, '3 passed, 0 failed']);
  assert.ok(lines.some((line) => line.startsWith('ok   test/deep/two.test.ts (1 passed')));
});

test('a skipped test takes no failure away, in its own file or in another', async () => {
  const { status, last, lines } = await run({
    'a-skips': file(PASS, SKIP),
    'b-fails': file(PASS, FAIL),
    'c-both': file(SKIP, FAIL),
    'd-skips': file(PASS, SKIP),
  });
  assert.deepEqual([status, last], [1, '3 passed, 2 failed, 1 skipped']);
  assert.deepEqual(lines.filter((line) => line.startsWith('failed: ')).sort(), ['failed: test/b-fails.test.ts', 'failed: test/c-both.test.ts']);
});

/** Each beside a file that passes and one that is skipped: what fails, and the words for it. */
const FAILURES: Readonly<Record<string, readonly [string, RegExp]>> = {
  'a test that fails': [file(PASS, FAIL), /on purpose/],
  'a hook before all that fails': [file('test.before(() => { throw new Error("hook"); });', PASS), /Passed: {4}0/],
  'a hook after all that fails': [file('test.after(() => { throw new Error("hook"); });', PASS), /broke off with status 1/],
  'a crash while the tests run': [file(PASS, "test('crashes', () => new Promise(() => setTimeout(() => { throw new Error('crash'); })));"), /status 1/],
  'a file that does not parse': ['const = 1;\n', /SyntaxError/],
  'process.exit(0) midway': [file(PASS, "test('leaves', () => process.exit(0));", FAIL), /broke off with status 1/],
  'process.exit(0) before the tests begin': [`${file(FAIL)}process.exit(0);\n`, /ended before uvu said/],
  'process.exit(0) before the tests begin, of a file that skips': [`${file(SKIP, FAIL)}process.exit(0);\n`, /ended before uvu said/],
  'a test that waits for ever with nothing to wait for': [file(PASS, "test('waits', () => new Promise(() => {}));"), /broke off/],
  'a test that hangs': [file(PASS, "test('hangs', () => new Promise((done) => setTimeout(done, 60_000)));"), /it ran for more than 2 s/],
  'a process that hangs without a turn of its loop': [file("test('spins', () => { for (;;); });"), /it ran for more than 2 s/],
  'an error that nobody caught, after the end': [
    file("test('later', () => void setTimeout(() => { throw new Error('late'); }, 300));"),
    /all its tests passed, and it ended with/,
  ],
  'a rejection that nobody caught': [file("test('later', () => void setTimeout(() => Promise.reject(new Error('late')), 300));"), /all its tests passed/],
  'a status set by a test': [file("test('sets', () => void setTimeout(() => { process.exitCode = 3; }, 300));"), /ended with status 3/],
  'a signal': [
    file(PASS, "test('dies', () => new Promise(() => { process.kill(process.pid, 'SIGKILL'); setTimeout(() => {}, 60_000); }));"),
    /a signal ended it/,
  ],
  'no tests': [file(), /it has no tests/],
  'tests that are not run': ["import { test } from 'uvu';\ntest('never', () => {});\n", /is test\.run\(\) missing/],
  'closing lines of another run before a crash': [
    file("test('prints', () => { console.log('\\n  Total:     1\\n  Passed:    1\\n  Skipped:   0\\n  Duration:  1ms\\n'); process.exit(0); });"),
    /status 1/,
  ],
};

test('every way to fail is one failure of its file, and no other file changes that', async () => {
  const names = Object.keys(FAILURES);
  const contents = Object.fromEntries(names.map((name, index) => [`bad-${index}`, (FAILURES[name] as readonly [string, RegExp])[0]]));
  const { status, last, lines } = await run({ ...contents, good: file(PASS), skipping: file(PASS, SKIP) });
  assert.equal(status, 1);
  const failed = lines.filter((line) => line.startsWith('failed: '));
  names.forEach((name, index) => {
    const path = `test/bad-${index}.test.ts`;
    assert.ok(failed.includes(`failed: ${path}`), `${name} was not seen`);
    const begin = lines.findIndex((line) => line.startsWith(`FAIL ${path} `));
    const end = lines.findIndex((line, at) => at > begin && /^(?:FAIL|ok {2}|skipped:|failed:) /.test(line) && !line.includes('needs the package nothing'));
    assert.match(lines.slice(begin, end).join('\n'), (FAILURES[name] as readonly [string, RegExp])[1], name);
    assert.match(lines[begin] as string, /, 1 failed, /, name);
  });
  assert.equal(failed.length, names.length);
  assert.match(last, new RegExp(`^\\d+ passed, ${names.length} failed, 1 skipped$`));
});

test('a failed test that leaves something open ends long before the time limit', async () => {
  const open = file("test('fails', () => { setInterval(() => {}, 1_000); throw new Error('on purpose'); });");
  const { last, lines } = await run({ open }, { limitMs: 60_000 });
  assert.equal(last, '0 passed, 1 failed');
  assert.ok(lines.some((line) => line.includes('on purpose')));
  assert.ok(!lines.some((line) => line.includes('was killed')), lines.join('\n'));
});

/** One that nobody has waited for yet has no command line any more. */
function lives(pid: number): boolean {
  const path = `/proc/${pid}/cmdline`;
  return existsSync(path) && readFileSync(path, 'utf8') !== '';
}

test('what a file leaves running is ended, and does not keep the run', async () => {
  const leaves = (stdio: string) =>
    file(
      `import { spawn } from 'node:child_process';`,
      `test('leaves', () => { const child = spawn('sleep', ['60'], { stdio: '${stdio}' }); child.unref(); console.log('pid', child.pid); });`,
    );
  const startedAt = performance.now();
  const held = await run({ held: leaves('inherit') });
  assert.deepEqual([held.status, held.last], [1, '1 passed, 1 failed']);
  assert.ok(held.lines.some((line) => line.includes('left a process behind')));
  assert.ok(performance.now() - startedAt < 20_000);
  const pid = Number(held.lines.find((line) => line.includes('pid '))?.split('pid ')[1]);
  assert.ok(pid > 0 && !lives(pid));
});

test('a word that no path holds is a failure, and so is a run of nothing', async () => {
  const slip = await run({ one: file(PASS) }, { parts: ['one', 'tow'] });
  assert.deepEqual([slip.status, slip.last], [1, '1 passed, 1 failed']);
  assert.deepEqual([(await run({})).status, (await run({})).last], [1, '0 passed, 0 failed']);
});

test('a file that is skipped as a whole is none that passed', async () => {
  const whole = "console.log('skipped: it needs the package nothing');\n";
  const { status, last, lines } = await run({ whole, one: file(PASS) });
  assert.deepEqual([status, last], [0, '1 passed, 0 failed, 1 skipped']);
  assert.ok(lines.includes('skipped: it needs the package nothing'));
});

const LISTED = (says: string, name = 'whole') =>
  `[[skip]]\nfile = "test/${name}.test.ts"\nsays = "${says}"\nreason = "no machine of ours has the package nothing"\n`;

test('in CI a skip fails the run unless the list names it with its reason', async () => {
  const whole = "console.log('skipped: it needs the package nothing');\n";
  const result = async (skips: string) => {
    const { status, last } = await run({ whole, one: file(PASS), 'skips.toml': skips }, { ci: true });
    return `${status}: ${last}`;
  };
  assert.equal(await result(''), '1: 1 passed, 1 failed');
  assert.equal(await result(LISTED('package nothing')), '0: 1 passed, 0 failed, 1 skipped');
  assert.equal(await result(LISTED('package other')), '1: 1 passed, 1 failed');
  const silent = { silent: file(PASS, "test.skip('other');"), only: file("test.only('one', () => {});", FAIL) };
  assert.deepEqual(Object.values(await run(silent, { ci: true })).at(-1), '2 passed, 2 failed');
});

test('an unused entry of the list is reported; an incomplete one, or one of a missing file, is a failure', async () => {
  const stale = await run({ whole: file(PASS), 'skips.toml': LISTED('package nothing') }, { ci: true });
  assert.deepEqual([stale.status, stale.last], [0, '1 passed, 0 failed']);
  assert.ok(stale.lines.some((line) => line.startsWith('not skipped here, though test/skips.toml allows it: test/whole.test.ts')));
  for (const skips of [LISTED('package nothing', 'gone'), LISTED(''), '[[skip]]\nfile = "test/whole.test.ts"\nsays = "package"\n', '[[skips]]\n', '[[']) {
    const { status, last } = await run({ whole: file(PASS), 'skips.toml': skips }, { ci: true });
    assert.deepEqual([status, last], [1, '1 passed, 1 failed'], skips);
  }
});

test('a file that starts the key server runs again on PostgreSQL, and a failure there counts', async () => {
  if (skipWithout('postgresql')) return;
  const database = readFileSync(join(ROOT, 'test/database.ts'), 'utf8');
  const says = "test('says', () => console.log('on', process.env['GATEHOUSE_TEST_POSTGRES'] ?? 'SQLite'));";
  const fails = "import { IS_ON_POSTGRES } from '../../database.ts';\ntest('fails there', () => { if (IS_ON_POSTGRES) throw new Error('there'); });";
  const { status, last, lines } = await run({
    'database.ts': database,
    'plugins/keys/both': file(fails, says),
    'plugins/keys/once': file(says),
    'plugins/auth/both': file(fails),
  });
  assert.deepEqual([status, last], [1, '5 passed, 1 failed']);
  assert.ok(lines.includes('failed: test/plugins/keys/both.test.ts on PostgreSQL'));
  assert.ok(lines.some((line) => line.includes('on postgres://')));
});

const CI_COMMANDS = { check: 0, conformance: 0, test: 0, foreign: 0, packages: 0, soak: 0, fronts: 0 };

/** The script of CI over made-up commands with these exit statuses. @param seconds that have passed when it begins @returns what it printed */
function ci(statuses: Partial<typeof CI_COMMANDS>, seconds = 0): Promise<Ran> {
  const { check, conformance, ...all } = { ...CI_COMMANDS, ...statuses };
  const folder = join(repository({}), 'repository');
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  };
  mkdirSync(join(folder, '../shared/conformance'), { recursive: true });
  cpSync(join(ROOT, '.ci/run'), join(folder, '.ci/run'));
  const counts = 'echo "CI is $CI"; echo "5 passed, 0 failed"';
  write('bin/npm', `case "$*" in *check*) exit ${check};; test*) ${counts}; exit ${all.test};; esac`);
  write(
    'node_modules/.bin/node',
    `case "$*" in
    *conformance*) echo "OASIS: 1 passed"; exit ${conformance};;
    *foreign*) echo "a foreign client passes"; exit ${all.foreign};;
    *packages*) exit ${all.packages};;
    *soak*) exit ${all.soak};;
    *test/run.ts*) echo "$GATEHOUSE_TEST_FRONTS fronts"; echo "1 passed, 0 failed"; exit ${all.fronts};;
    esac`,
  );
  const env = { ...process.env, CI: 'false', SECONDS: String(seconds), PATH: `${join(folder, 'bin')}:${process.env['PATH']}` };
  return ran('bash', [join(folder, '.ci/run')], { env });
}

test('CI fails when anything that it runs does, and its last line is the count of tests', async () => {
  const last = '5 passed, 0 failed';
  const whole = await ci({});
  assert.deepEqual([whole.status, whole.last], [0, last]);
  assert.ok(whole.lines.includes('CI is true'), 'whatever the machine says, skips are looked at');
  for (const line of ['OASIS: 1 passed', 'a foreign client passes', '3 fronts']) assert.ok(whole.lines.includes(line), line);
  for (const command of Object.keys(CI_COMMANDS)) {
    const bad = await ci({ [command]: 1 });
    assert.notEqual(bad.status, 0, command);
    if (command !== 'check') assert.equal(bad.last, last, command);
  }
});

test('CI on a slow machine skips, by name, what tries the same in other forms, and nothing else', async () => {
  const slow = await ci({ foreign: 1, fronts: 1 }, 3_600);
  assert.deepEqual([slow.status, slow.last], [0, '5 passed, 0 failed']);
  assert.equal(slow.lines.filter((line) => /^skipped: (three fronts|the clients of others.*), on a machine that took 36\d\d s/.test(line)).length, 2);
  for (const command of ['conformance', 'test'] as const) assert.notEqual((await ci({ [command]: 1 }, 3_600)).status, 0, command);
});

test.run();
