// Benchmarks that take no time: one whose limit fails, or that breaks, ends the run with a status other than 0, and the others run all the same.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { test } from 'uvu';
import { temporaryFolder } from '../server.ts';

const BENCH = fileURLToPath(new URL('../../bench/', import.meta.url));
const folder = temporaryFolder();
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** @param limit a fragment of source: value and whether it holds */
function benchmark(name: string, limits: readonly string[], after = ''): void {
  const objects = limits.map((limit) => `{ limit: 'some', ${limit} }`);
  const source = `report('${name}', [{ what: 'x', value: 1 }], [${objects.join(', ')}]);\n${after}\n`;
  writeFileSync(join(folder, `${name}.bench.ts`), `import { report } from '${pathToFileURL(join(BENCH, 'report/report.ts')).href}';\n${source}`);
}

benchmark('holds', ['value: 1, holds: true', 'value: 2, holds: true']);
benchmark('without', []);
benchmark('fails', ['value: 1, holds: true', 'value: 2, holds: false']);
benchmark('leaves', ['value: 2, holds: false'], 'process.exit(0);');
benchmark('unmeasured', ['value: Number.NaN, holds: true']);
benchmark('breaks', ['value: 1, holds: true'], "throw new Error('on purpose');");
benchmark('killed', ['value: 1, holds: true'], "process.kill(process.pid, 'SIGKILL');");

function ended(name: string): readonly [status: number | null, said: string] {
  const { status, said } = run(name);
  return [status, said];
}

function run(...args: readonly string[]): { status: number | null; said: string; printed: string; told: string } {
  const flags = ['--folder', folder, '--results', folder];
  const { status, stderr, stdout } = spawnSync(process.execPath, [join(BENCH, 'run.ts'), ...flags, ...args], { encoding: 'utf8' });
  return { status, said: stderr.trim().split('\n').at(-1) ?? '', printed: stdout, told: stderr };
}

test('benchmarks whose limits hold, or that have none, end well', () => {
  assert.equal(run('holds', 'without').status, 0);
});

test('a failed limit ends the run with a failure status whatever the benchmark exits with; NaN fails', () => {
  for (const name of ['fails', 'leaves', 'unmeasured']) assert.deepEqual(ended(name), [1, `${name}: a limit fails`]);
});

test('a benchmark that breaks is told apart', () => {
  assert.deepEqual(ended('breaks'), [1, 'breaks: it broke, with status 1']);
  assert.deepEqual(ended('killed'), [1, 'killed: it broke, with SIGKILL']);
});

test('one that fails keeps no other from running', () => {
  rmSync(join(folder, 'holds.json'), { force: true });
  assert.equal(run('fails', 'breaks', 'holds').status, 1);
  assert.ok(existsSync(join(folder, 'holds.json')));
});

test('a bad option or question ends with status 2, what was wrong and the usage, without a stack', () => {
  const wrong: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [['--second', '1'], /^Unknown option '--second'/],
    [['--seconds', 'many'], /^--seconds must be a number from 0\.1 to 600, not 'many'/],
    [['--seconds='], /^--seconds must be a number from 0\.1 to 600, not ''/],
    [['--connections', '1,,3'], /^--connections must be a number from 1 to 1000, not ''/],
    [['--connections', '1.5'], /^--connections must be a whole number, not '1\.5'/],
    [['--rounds', '0'], /^--rounds must be a number from 1 to 100, not '0'/],
    [['missing', 'holds'], /^no such question: missing; there are breaks, fails, holds/],
  ];
  for (const [args, message] of wrong) {
    const { status, told } = run(...args);
    assert.deepEqual([args, status], [args, 2]);
    assert.match(told, message);
    assert.match(told, /usage: npm run bench/);
    assert.doesNotMatch(told, /\n {4}at /);
  }
});

test('--help prints the options and the questions, and runs none', () => {
  rmSync(join(folder, 'holds.json'), { force: true });
  const { status, printed } = run('--help', 'holds');
  assert.equal(status, 0);
  for (const part of ['--seconds', '--connections', '--rounds', '--json', '--results', 'questions: breaks, fails, holds'])
    assert.ok(printed.includes(part), part);
  assert.ok(!existsSync(join(folder, 'holds.json')));
});

test('--json prints a line for each question and nothing else', () => {
  const { printed } = run('--json', 'holds', 'fails');
  const lines = printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ name, limits }) => [name, limits.map((each: { holds: boolean }) => each.holds)]),
    [
      ['holds', [true, true]],
      ['fails', [true, false]],
    ],
  );
});

test('every benchmark ends in a report', () => {
  for (const name of readdirSync(BENCH).filter((file) => file.endsWith('.bench.ts')))
    assert.ok(/^ *report\(/m.test(readFileSync(join(BENCH, name), 'utf8')), name);
});

test.run();
