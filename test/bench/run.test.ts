// Benchmarks that take no time: one whose limit fails, or that breaks, ends the run with a status other than 0, and the others run all the same.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { test } from 'uvu';
import { temporaryFolder } from '../server.ts';

const BENCH = fileURLToPath(new URL('../../bench/', import.meta.url));
const RESULTS = "new URL('./', import.meta.url)";
const folder = temporaryFolder();
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** @param limit a fragment of source: value and whether it holds */
function benchmark(name: string, limits: readonly string[], after = ''): void {
  const objects = limits.map((limit) => `{ limit: 'some', ${limit} }`);
  const source = `report('${name}', [{ what: 'x', value: 1 }], [${objects.join(', ')}], ${RESULTS});\n${after}\n`;
  writeFileSync(join(folder, `${name}.bench.ts`), `import { report } from '${pathToFileURL(join(BENCH, 'report.ts')).href}';\n${source}`);
}

benchmark('holds', ['value: 1, holds: true', 'value: 2, holds: true']);
benchmark('without', []);
benchmark('fails', ['value: 1, holds: true', 'value: 2, holds: false']);
benchmark('leaves', ['value: 2, holds: false'], 'process.exit(0);');
benchmark('unmeasured', ['value: Number.NaN, holds: true']);
benchmark('breaks', ['value: 1, holds: true'], "throw new Error('on purpose');");
benchmark('killed', ['value: 1, holds: true'], "process.kill(process.pid, 'SIGKILL');");

function run(...names: readonly string[]): { status: number | null; said: string } {
  const { status, stderr } = spawnSync(process.execPath, [join(BENCH, 'run.ts'), '--folder', folder, ...names], { encoding: 'utf8' });
  return { status, said: stderr.trim().split('\n').at(-1) ?? '' };
}

test('benchmarks whose limits hold, or that have none, end well', () => {
  assert.equal(run('holds', 'without').status, 0);
});

test('a failed limit ends the run with a failure status whatever the benchmark exits with; NaN fails', () => {
  for (const name of ['fails', 'leaves', 'unmeasured']) assert.deepEqual(run(name), { status: 1, said: `${name}: a limit fails` });
});

test('a benchmark that breaks is told apart', () => {
  assert.deepEqual(run('breaks'), { status: 1, said: 'breaks: it broke, with status 1' });
  assert.deepEqual(run('killed'), { status: 1, said: 'killed: it broke, with SIGKILL' });
  assert.equal(run('missing').status, 1);
});

test('one that fails keeps no other from running', () => {
  rmSync(join(folder, 'holds.json'), { force: true });
  assert.equal(run('fails', 'breaks', 'holds').status, 1);
  assert.ok(existsSync(join(folder, 'holds.json')));
});

test('every benchmark ends in a report', () => {
  for (const name of readdirSync(BENCH).filter((file) => file.endsWith('.bench.ts'))) assert.match(readFileSync(join(BENCH, name), 'utf8'), /^report\(/m, name);
});

test.run();
