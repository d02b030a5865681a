// Runs every test file in a process of its own and sums up; installs the system packages that tests want where it may.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SYSTEM_PACKAGES } from './system.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const LIMIT_MS = 300_000;

interface Result {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly string[];
  readonly output: string;
  readonly seconds: number;
}

installSystemPackages();
const wanted = process.argv.slice(2);
const files = globSync('test/**/*.test.ts', { cwd: root })
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();
// Files that measure or exhaust the machine run by themselves, after the others.
const alone = files.filter((file) => file.endsWith('.alone.test.ts'));
const results = [
  ...(await runAll(
    files.filter((file) => !alone.includes(file)),
    2,
  )),
  ...(await runAll(alone, 1)),
];
report(results);

async function runAll(queue: readonly string[], width: number): Promise<Result[]> {
  const waiting = [...queue];
  const done: Result[] = [];
  const worker = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      const result = await runFile(file);
      done.push(result);
      const mark = result.failed > 0 ? 'FAIL' : 'ok  ';
      console.log(`${mark} ${result.file} (${result.passed} passed${result.failed > 0 ? `, ${result.failed} failed` : ''}, ${result.seconds.toFixed(1)} s)`);
      if (result.failed > 0) console.log(result.output);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return done;
}

function runFile(file: string): Promise<Result> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(root, file)], {
      cwd: root,
      env: { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (output += data));
    const timer = setTimeout(() => {
      output += `\nended after ${LIMIT_MS / 1000} s`;
      child.kill('SIGKILL');
    }, LIMIT_MS);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ file, ...counts(output, code), output, seconds: (performance.now() - startedAt) / 1000 });
    });
  });
}

/** From uvu's closing lines; a file that ends without them, or with an error, has failed at least once. */
function counts(output: string, code: number | null): { passed: number; failed: number; skipped: string[] } {
  const number = (label: string) => Number(new RegExp(`^\\s*${label}:\\s+(\\d+)`, 'm').exec(output)?.[1] ?? Number.NaN);
  const total = number('Total');
  const passed = number('Passed');
  const skipped = [...output.matchAll(/^skipped: (.*)$/gm)].map((match) => match[1] as string);
  if (Number.isNaN(total) || Number.isNaN(passed)) return { passed: 0, failed: skipped.length > 0 && code === 0 ? 0 : 1, skipped };
  const failed = total - passed - (number('Skipped') || 0);
  return { passed, failed: failed === 0 && code !== 0 ? 1 : failed, skipped };
}

function report(all: readonly Result[]): void {
  const sum = (pick: (result: Result) => number) => all.reduce((total, result) => total + pick(result), 0);
  const failed = sum(({ failed: count }) => count);
  const skipped = [...new Set(all.flatMap((result) => result.skipped))];
  for (const reason of skipped) console.log(`skipped: ${reason}`);
  for (const { file } of all.filter((result) => result.failed > 0)) console.log(`failed: ${file}`);
  console.log(`${sum(({ passed }) => passed)} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`);
  process.exit(failed > 0 || all.length === 0 ? 1 : 0);
}

function installSystemPackages(): void {
  const missing = SYSTEM_PACKAGES.filter(({ isPresent }) => !isPresent());
  if (missing.length === 0 || !(process.env['CI'] || process.env['GATEHOUSE_TEST_INSTALL'] === '1') || !existsSync('/usr/bin/apt-get')) return;
  const packages = missing.map(({ name }) => name);
  console.log(`installing ${packages.join(', ')}`);
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
  // One by one: what a release of Debian does not have keeps no other from being installed.
  for (const name of packages)
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], {
      stdio: 'inherit',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
}
